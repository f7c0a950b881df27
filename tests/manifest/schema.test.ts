import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { explore } from '../../src/manifest/explore.js';
import { manifestText } from '../../src/manifest/read-write.js';
import { createFolder } from '../interpreter/scripts.js';

const root = join(import.meta.dirname, '../..');
const published = JSON.parse(await readFile(join(root, 'docs/manifest.schema.json'), 'utf8'));
const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(published);

describe('the published schema of manifests', () => {
  it('fits the manifest of the examples', async () => {
    const { manifest } = await explore([join(root, 'examples')], { cacheDir: join(await createFolder(), 'cache') });
    expect(manifest.tools.length).toBeGreaterThan(5);
    expect(check(JSON.parse(manifestText(manifest, root))), JSON.stringify(check.errors)).toBe(true);
  });

  it.each([
    [],
    { manifestVersion: 2, scripts: [], tools: [] },
    { manifestVersion: 1, scripts: [], tools: [], more: 1 },
    { manifestVersion: 1, scripts: [{ path: 'a.py', sha256: 'x' }], tools: [] },
    { manifestVersion: 1, scripts: [], tools: [{ name: 'f' }] },
  ])('refuses what is no manifest: %j', (value) => {
    expect(check(value)).toBe(false);
  });

  it('says of what a person may change what it means', () => {
    expect(published.properties.tools.items.properties.enabled.description).toContain('for you to change');
  });
});
