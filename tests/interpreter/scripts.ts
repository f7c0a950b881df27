import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-execution-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeExecutable(path: string, ...lines: string[]): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
  return path;
}

/** Claims to be a Python of that version, whatever it is asked. */
export function writePretender(path: string, version: string): Promise<string> {
  const answer = {
    executable: path,
    version,
    versionInfo: version.split('.').map(Number),
    prefix: '/nowhere',
    basePrefix: '/nowhere',
    cacheTag: 'cpython',
    magic: 'a70d0d0a',
    platform: 'linux',
    canFork: true,
  };
  return writeExecutable(
    path,
    `echo 'mcp-execution-interpreter:${JSON.stringify(answer)}'`,
    `echo asked >> "$0.asked"`,
  );
}
