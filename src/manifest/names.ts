import { createHash } from 'node:crypto';
import { basename, dirname, extname } from 'node:path';
import type { ManifestTool } from './manifest.js';

const maxLength = 64;
/** A name as it is, with the name of its file, and with the folder too. */
const lastLevel = 2;

/** No two tools with the same name: those that clash get the name of their file before theirs, then its folder, then a number. */
export function keepNamesApart(tools: readonly ManifestTool[]): readonly ManifestTool[] {
  const levels = tools.map(() => 0);
  for (let level = 0; level < lastLevel; level++) {
    for (const clash of clashesOf(namesAt(tools, levels))) {
      for (const index of clash) levels[index] = Math.min((levels[index] ?? 0) + 1, lastLevel);
    }
  }
  const names = numbered(namesAt(tools, levels));
  return tools.map((tool, index) => (names[index] === tool.name ? tool : { ...tool, name: names[index] ?? tool.name }));
}

/** The name as clients take it: letters of ASCII, digits, _ and -, at most 64. */
export function validName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, '_') || '_';
  if (plain.length <= maxLength) return plain;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${plain.slice(0, maxLength - hash.length - 1)}_${hash}`;
}

function namesAt(tools: readonly ManifestTool[], levels: readonly number[]): readonly string[] {
  return tools.map((tool, index) => nameAt(tool, levels[index] ?? 0));
}

function nameAt({ name, run }: ManifestTool, level: number): string {
  if (level === 0) return validName(name);
  const stem = basename(run.script, extname(run.script));
  const said = validName(stem);
  // The tool of a whole script bears the name of its file already.
  const withStem = name === said || name.startsWith(`${said}_`) ? name : `${stem}_${name}`;
  const folder = level === 1 ? '' : basename(dirname(run.script));
  return validName(folder === '' ? withStem : `${folder}_${withStem}`);
}

function clashesOf(names: readonly string[]): readonly (readonly number[])[] {
  const places = new Map<string, number[]>();
  for (const [index, name] of names.entries()) {
    const same = places.get(name);
    if (same === undefined) places.set(name, [index]);
    else same.push(index);
  }
  return [...places.values()].filter((indices) => indices.length > 1);
}

function numbered(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    for (let number = 2; ; number++) {
      const ending = `_${number}`;
      const candidate = `${name.slice(0, maxLength - ending.length)}${ending}`;
      if (taken.has(candidate)) continue;
      taken.add(candidate);
      return candidate;
    }
  });
}
