import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file below a folder, sorted; what nobody means to hand on is left out: hidden files, caches, environments. */
export async function filesBelow(folder: string, leaveOut?: string): Promise<readonly string[]> {
  return (await walk(folder, leaveOut, new Set())).sort();
}

async function walk(folder: string, leaveOut: string | undefined, above: ReadonlySet<string>): Promise<string[]> {
  const real = await realpath(folder);
  const isLoop = above.has(real);
  const names = isLoop || folder === leaveOut ? [] : await readdir(folder);
  if (names.includes('pyvenv.cfg')) return [];
  const found: string[] = [];
  for (const name of names.filter(isMeant)) {
    const path = join(folder, name);
    const kind = await stat(path).catch(() => undefined);
    if (kind?.isFile()) found.push(path);
    else if (kind?.isDirectory()) found.push(...(await walk(path, leaveOut, new Set([...above, real]))));
  }
  return found;
}

function isMeant(name: string): boolean {
  return !name.startsWith('.') && !leftOut.has(name) && !/\.py[co]$/.test(name);
}

const leftOut = new Set(['__pycache__', 'node_modules']);
