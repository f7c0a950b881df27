import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-execution-uploads-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Every file below a folder with its content, by its path from there. */
export async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [relative(folder, path).split(sep).join('/'), await readFile(path, 'latin1')] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
