import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeSettingFamily } from '../src/codemode/settings.js';
import { settingFamily } from '../src/config.js';
import { errorTable } from '../src/errors.js';
import { gatewaySettingFamily } from '../src/gateway/config/family.js';

const root = join(import.meta.dirname, '..');

describe('the pages', () => {
  it('explain exactly the error codes there are', async () => {
    const documented = [...(await page('docs/errors.md')).matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
    expect(documented.sort()).toEqual(Object.keys(errorTable).sort());
  });

  it('explain exactly the settings there are, with flag and variable', async () => {
    const text = await page('docs/settings.md');
    const documented = [...text.matchAll(/^\| `(\w+)` \| `(\S+)` \| `(\w+)` \|/gm)].map(([, ...names]) => names);
    expect(documented).toEqual([
      ...namesOf(settingFamily),
      ...namesOf(gatewaySettingFamily),
      ...namesOf(codeSettingFamily),
    ]);
  });

  it('link only to files that exist', async () => {
    for (const name of await pagesOfProject()) {
      const links = [...(await page(name)).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
      for (const link of links) {
        await expect(readFile(join(root, name, '..', link)), `${name} -> ${link}`).resolves.toBeDefined();
      }
    }
  });
});

interface Names<Name> {
  readonly names: readonly Name[];
  flagName(name: Name): string;
  environmentName(name: Name): string;
}

function namesOf<Name>({ names, flagName, environmentName }: Names<Name>): unknown[] {
  return names.map((name) => [name, flagName(name), environmentName(name)]);
}

async function pagesOfProject(): Promise<readonly string[]> {
  const inFolder = async (folder: string) =>
    (await readdir(join(root, folder))).filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
  return [...(await inFolder('.')), ...(await inFolder('docs'))];
}

function page(name: string): Promise<string> {
  return readFile(join(root, name), 'utf8');
}
