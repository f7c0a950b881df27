import { parse } from 'smol-toml';

/** A header and the lines that belong to it; `end` is before the comments that stand above the next header. */
export interface TomlSection {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

export function sectionsOf(text: string): readonly TomlSection[] {
  const headers = headersOf(text);
  return headers.map(({ path, start }, index) => {
    const next = headers[index + 1]?.start ?? text.length;
    return { path, start, end: start + withoutTail(text.slice(start, next)).length };
  });
}

interface Header {
  readonly path: readonly string[];
  readonly start: number;
}

/** Headers stand at the start of a line, outside of strings and arrays. */
function headersOf(text: string): readonly Header[] {
  const headers: Header[] = [];
  let depth = 0;
  for (const token of text.matchAll(tokens)) {
    const [word] = token;
    const header = token.groups?.header;
    if (header !== undefined && depth === 0) headers.push({ path: pathOf(header), start: token.index });
    else if (header !== undefined) depth += balanceOf(word);
    else if ('[{'.includes(word)) depth += 1;
    else if (']}'.includes(word)) depth -= 1;
  }
  return headers;
}

const strings = String.raw`"""[\s\S]*?(?<!\\)"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'`;
const tokens = new RegExp(
  String.raw`(?<header>(?<=^[ \t]*)\[\[?(?:[^\]"'\n#]|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')+\]\]?(?=[ \t]*(?:#|\r?$)))|${strings}|#.*|[[\]{}]`,
  'gm',
);

function balanceOf(word: string): number {
  return [...word].reduce((sum, letter) => sum + (letter === '[' ? 1 : letter === ']' ? -1 : 0), 0);
}

/** The parser itself says which keys a header names. */
function pathOf(header: string): readonly string[] {
  const path: string[] = [];
  let inner: unknown = parse(header.replace(/^\[\[/, '[').replace(/\]\]$/, ']'));
  while (typeof inner === 'object' && inner !== null) {
    const [entry] = Object.entries(inner);
    if (entry === undefined) break;
    path.push(entry[0]);
    inner = entry[1];
  }
  return path;
}

/** Comments and empty lines before the next header are the next section's. */
function withoutTail(lines: string): string {
  return lines.replace(/(?<=\n)(?:[ \t]*(?:#.*)?(?:\r?\n|$))+$/, '');
}
