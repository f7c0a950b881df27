import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { CommandTarget, ServerTarget } from '../target.js';

const format = 1;

/** A name for all that decides what tools a server has. It tells nothing of what is in the entry. */
export async function keyOfEntry(target: ServerTarget): Promise<string> {
  const surroundings = target.kind === 'command' ? await programFiles(target) : [];
  const whole = JSON.stringify([format, target, surroundings]);
  return createHash('sha256').update(whole).digest('hex');
}

const sources = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.py', '.rb', '.sh']);

/** Whoever works on a server of their own sees what they changed: scripts that are named are part of the entry. */
function programFiles({ command, args, cwd = process.cwd() }: CommandTarget): Promise<readonly string[]> {
  const named = [command, ...args].filter((word) => sources.has(extname(word)));
  return Promise.all([cwd, ...named.slice(0, 8).map((word) => describe(resolve(cwd, word)))]);
}

async function describe(path: string): Promise<string> {
  try {
    const { mtimeMs, size } = await stat(path);
    return `${path} ${mtimeMs} ${size}`;
  } catch {
    return path;
  }
}
