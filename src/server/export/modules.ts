import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { importedModules } from './imports.js';
import { filesBelow } from './walk.js';

/** The files beside a script that it imports, directly or through another of them. */
export async function localModules(script: string): Promise<readonly string[]> {
  const folder = dirname(script);
  const found = new Set([script]);
  const asked = new Set<string>();
  for (const file of found) {
    if (extname(file) !== '.py') continue;
    const source = await readFile(file, 'utf8');
    for (const name of importedModules(source)) {
      if (asked.has(name)) continue;
      asked.add(name);
      for (const part of await filesOfModule(folder, name)) found.add(part);
    }
  }
  found.delete(script);
  return [...found].sort();
}

/** In the order in which Python looks: a package, a compiled module, a file, a folder without `__init__.py`. */
async function filesOfModule(folder: string, name: string): Promise<readonly string[]> {
  const place = join(folder, name);
  if (await isFile(join(place, '__init__.py'))) return await filesBelow(place);
  const compiled = await compiledModules(folder, name);
  const file = `${place}.py`;
  if (await isFile(file)) return [...compiled, file];
  if (compiled.length > 0) return compiled;
  const isFolder = await stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? (await filesBelow(place)).filter((path) => extname(path) === '.py') : [];
}

export function isCompiledModule(path: string): boolean {
  return /\.(so|pyd)$/.test(path);
}

async function compiledModules(folder: string, name: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names
    .filter((file) => file.startsWith(`${name}.`) && isCompiledModule(file))
    .map((file) => join(folder, file));
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
