import type { JsonValue } from '../../toolbox.js';

const longestName = 80;
const longestValue = 200;

/** A name that others chose, within a sentence: on one line, bounded, and quoted where it is no plain word. */
export function shownName(name: string): string {
  return /^[\w.@/-]{1,80}$/.test(name) ? name : shownJson(name, longestName);
}

/** A sentence that others wrote, on one line. */
export function onOneLine(text: string, longest = 500): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

export function shownJson(value: JsonValue | undefined, longest = longestValue): string {
  const text = escapeControls(JSON.stringify(value) ?? 'nothing');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** JSON leaves characters as they are that a terminal acts on, or that turn the direction of writing. */
function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`);
}

/** As many names as fit into a sentence, and how many there are beside them. */
export function listed(names: readonly string[], most = 20, longest = 600): string {
  return joined(names.slice(0, most).map(shownName), names.length, longest);
}

/** The same of what is fit to be shown already. */
export function joined(texts: readonly string[], count: number, longest = 600): string {
  const shown: string[] = [];
  let length = 0;
  for (const text of texts) {
    length += text.length + 2;
    if (length > longest) break;
    shown.push(text);
  }
  const more = count - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
