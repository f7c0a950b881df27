import { stat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { filesBelow } from './walk.js';

/** The files that a pattern means, seen from a folder: `data/*.csv`, `**` for any depth, a folder for all that is in it. */
export async function matchFiles(pattern: string, folder: string, leaveOut?: string): Promise<readonly string[]> {
  const parts = pattern.split(sep).join('/').split('/');
  const firstWild = parts.findIndex((part) => /[*?{]/.test(part));
  const wild = firstWild < 0 ? parts.length : firstWild;
  const start = resolve(folder, parts.slice(0, wild).join('/'));
  const kind = await stat(start).catch(() => undefined);
  if (kind?.isFile()) return firstWild < 0 ? [start] : [];
  if (!kind?.isDirectory()) return [];
  const wanted = expressionOf(parts.slice(wild).join('/') || '**');
  const files = await filesBelow(start, leaveOut);
  return files.filter((file) => wanted.test(relative(start, file).split(sep).join('/')));
}

/** The last part may name a folder: all that is in it is meant. */
function expressionOf(pattern: string): RegExp {
  const text = pattern.replace(/\*\*\/|\*\*|[*?]|\{[^{}]*\}|[\\^$.|+()[\]{}]/g, (sign) => {
    if (sign === '**/') return '(?:[^/]+/)*';
    if (sign === '**') return '.*';
    if (sign === '*') return '[^/]*';
    if (sign === '?') return '[^/]';
    if (sign.length > 1) return `(?:${sign.slice(1, -1).split(',').map(literally).join('|')})`;
    return literally(sign);
  });
  return new RegExp(`^${text}(?:/.*)?$`, 'u');
}

function literally(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
