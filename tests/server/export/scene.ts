import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import type { Manifest } from '../../../src/manifest/manifest.js';

/** A folder that exists only for a test, with these files in it. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-execution-export-')));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** Paths of all files below, with forward slashes, sorted. */
export async function listing(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files
    .map((file) =>
      file
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
    )
    .sort();
}

type Script = Manifest['scripts'][number];

/** A manifest as discovery would write it, with one tool per script. */
export async function manifestOf(
  paths: readonly string[],
  fields: Partial<Script> = {},
  enabled = true,
): Promise<Manifest> {
  const scripts = await Promise.all(
    paths.map(async (path) => ({ path, sha256: await sha256Of(path), files: [], importEffects: [], ...fields })),
  );
  const tools = scripts.map(({ path }, index) => ({
    name: `tool_${index}`,
    description: 'Adds | two numbers.\n\nAnd more.',
    inputSchema: { type: 'object', properties: {} },
    run: { kind: 'function' as const, script: path, function: 'add' },
    enabled,
    why: 'a public function',
  }));
  return { manifestVersion: 1, scripts, tools };
}

export async function sha256Of(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
