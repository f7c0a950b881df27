import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { type Exploration, explore } from '../../src/manifest/explore.js';
import { manifestSchema } from '../../src/manifest/manifest.js';
import { findPython } from '../../src/python/interpreter.js';
import { folderWith } from '../engine/harness.js';

const patienceMs = 240_000;
const ajv = new Ajv2020({ strict: false, logger: false });
const whatCannotBeParsed = ['SYNTAX_ERROR', 'INVALID_SCRIPT'];

describe('discovery finds its way through everything', () => {
  it('in the standard library', { timeout: patienceMs }, async () => {
    const { basePrefix, versionInfo } = await findPython();
    const library = join(basePrefix, 'lib', `python${versionInfo[0]}.${versionInfo[1]}`);
    const modules = pythonFilesIn(library).filter((path) => !path.includes('site-packages'));
    expect(modules.length).toBeGreaterThan(1000);
    const exploration = await exploreAnew(modules);
    expectSound(exploration);
    const unparsed = exploration.problems.map(({ path }) => path).filter((path) => !/[\\/]tests?[\\/]/.test(path));
    expect(unparsed).toEqual([]);
    expect(exploration.manifest.tools.length).toBeGreaterThan(3000);
  });

  it('in every script of the tests', { timeout: patienceMs }, async () => {
    const scripts = ['fixtures', 'attacks', 'long'].flatMap((name) => pythonFilesIn(join('tests', name)));
    expect(scripts.length).toBeGreaterThan(100);
    expectSound(await exploreAnew(scripts));
  });
});

function exploreAnew(paths: readonly string[]): Promise<Exploration> {
  return explore(paths, { cacheDir: folderWith({}), useCache: false });
}

function expectSound({ manifest, problems }: Exploration): void {
  expect(problems.filter(({ error }) => !whatCannotBeParsed.includes(error.code))).toEqual([]);
  expect(manifestSchema.safeParse(manifest).error).toBeUndefined();
  const names = manifest.tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, inputSchema, outputSchema } of manifest.tools) {
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(inputSchema).toMatchObject({ type: 'object' });
    for (const schema of [inputSchema, outputSchema ?? true]) {
      expect(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}\n${JSON.stringify(schema)}`).toBe(true);
      expect(() => ajv.compile(schema), name).not.toThrow();
    }
  }
}

function pythonFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.py'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size > 0)
    .sort();
}
