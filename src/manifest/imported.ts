import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ManifestScript } from './manifest.js';

const maxFiles = 200;
const importLine = /^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import\b|import[ \t]+([\w., \t]+))/gm;

/**
 * Where modules that the script imports would be beside it, without those that discovery read: when one of them appears,
 * or one that could not be parsed is mended, discovery says something else.
 */
export function importedFiles({ path, files }: ManifestScript): readonly string[] {
  const read = [path, ...files.map((file) => file.path)];
  const candidates = new Set(read.flatMap((file) => importedBy(file, dirname(path))));
  for (const file of read) candidates.delete(file);
  return [...candidates].slice(0, maxFiles);
}

function importedBy(file: string, folderOfScript: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(importLine)].flatMap(([, dots = '', module = '', names = '']) => {
    if (dots !== '') return filesOfModule(join(dirname(file), ...Array(dots.length - 1).fill('..')), module);
    const modules = [module, ...names.split(',').map((name) => name.trim().split(/\s/)[0] ?? '')];
    return modules.filter((name) => name !== '').flatMap((name) => filesOfModule(folderOfScript, name));
  });
}

function filesOfModule(folder: string, module: string): readonly string[] {
  const place = join(folder, ...module.split('.'));
  return module === '' ? [join(place, '__init__.py')] : [`${place}.py`, join(place, '__init__.py')];
}
