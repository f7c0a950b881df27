import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explore } from '../src/manifest/explore.js';
import { findPython } from '../src/python/interpreter.js';

export interface DiscoverySpeed {
  readonly files: number;
  readonly filesPerSecond: readonly number[];
}

/** Every module of the standard library but its own tests, with nothing in the cache. */
export async function measureDiscovery(times: number): Promise<DiscoverySpeed> {
  const library = await libraryFolder();
  const files = await modulesIn(library);
  const filesPerSecond: number[] = [];
  for (let time = 0; time < times; time++) {
    const cacheDir = mkdtempSync(join(tmpdir(), 'bench-'));
    const startedAt = performance.now();
    await explore(files, { cacheDir });
    filesPerSecond.push((files.length / (performance.now() - startedAt)) * 1000);
    rmSync(cacheDir, { recursive: true, force: true });
  }
  return { files: files.length, filesPerSecond };
}

async function libraryFolder(): Promise<string> {
  const { basePrefix, versionInfo } = await findPython();
  return process.platform === 'win32'
    ? join(basePrefix, 'Lib')
    : join(basePrefix, 'lib', `python${versionInfo[0]}.${versionInfo[1]}`);
}

async function modulesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.py'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](site-packages|test|tests|idle_test|lib2to3)[\\/]/.test(path))
    .sort();
}
