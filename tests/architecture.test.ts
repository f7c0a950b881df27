import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');
const table = await readDependencyTable();
const files = (await readdir(src, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();

describe('the dependency table of ARCHITECTURE.md', () => {
  it.each(files)('permits what %s imports', async (file) => {
    const part = partOf(file);
    const allowed = table.get(part) ?? [];
    const imported = new Set((await importsOf(file)).map(partOf));
    imported.delete(part);
    expect([...imported].filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it('names every part of src/ and nothing else', () => {
    const parts = new Set(files.map(partOf));
    expect([...table.keys()].sort()).toEqual([...parts].sort());
  });
});

async function readDependencyTable(): Promise<Map<string, readonly string[]>> {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  const rows = text.matchAll(/^\| +`(\w+)` +\|(.*)\|$/gm);
  return new Map(
    [...rows].map(([, part = '', known = '']) => [part, [...known.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)]),
  );
}

async function importsOf(file: string): Promise<readonly string[]> {
  const text = await readFile(join(src, file), 'utf8');
  const imports = text.matchAll(/(?:from|import\()\s*'(\.[^']+)\.js'/g);
  return [...imports].map(([, path = '']) => relative(src, join(src, dirname(file), `${path}.ts`)));
}

/** A folder of src/, or a file that stands alone in it. */
function partOf(file: string): string {
  return (file.split(sep)[0] ?? '').replace(/\.ts$/, '');
}
