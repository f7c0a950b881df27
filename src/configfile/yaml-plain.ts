import type { Path } from './place.js';
import { createPlainScalars, NotPlain } from './yaml-plain-scalars.js';

export interface PlainYaml {
  readonly value: object;
  /** Where the value is, or its name; of what is not there, where it should be. */
  offsetOf(path: Path): number;
}

interface Line {
  /** Of the line itself in the text. */
  readonly start: number;
  readonly end: number;
  /** How far in its content begins; moves on behind the dash of a list. */
  indent: number;
}

const maxDepth = 100;
/** Further documents, directives, tabs and line ends of Windows are left to the library. */
const beyondPlain = /[\t\r\uFEFF]|\n(?:---|\.\.\.|%)|^(?:\.\.\.|%)/;

/**
 * Reads YAML as people mostly write it, many times as fast as a library that knows all of it.
 * Gives nothing where the text says more than that, or may be wrong: whatever it does give is what the library would.
 */
export function readPlainYaml(text: string): PlainYaml | undefined {
  if (beyondPlain.test(text)) return undefined;
  try {
    return createReader(text).read();
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

function createReader(text: string) {
  const lines = contentLines(text, text.startsWith('---\n') ? 4 : 0);
  const offsets = new Map<object, Map<string | number, number>>();
  const { scalarAt, flowAt, keyAt, endsLine } = createPlainScalars(text, offsets);
  let at = 0;
  return { read };

  function read(): PlainYaml {
    const [first] = lines;
    if (first === undefined) throw new NotPlain();
    const value = mappingAt(first.indent, 0);
    if (at < lines.length) throw new NotPlain();
    return { value, offsetOf: (path) => offsetIn(value, path, first.start + first.indent) };
  }

  function offsetIn(value: unknown, path: Path, start: number): number {
    let [inner, offset]: [unknown, number] = [value, start];
    for (const step of path) {
      const next = typeof inner === 'object' && inner !== null ? offsets.get(inner)?.get(step) : undefined;
      if (next === undefined || typeof inner !== 'object' || inner === null) break;
      offset = next;
      inner = Reflect.get(inner, step);
    }
    return offset;
  }

  function mappingAt(indent: number, depth: number): object {
    const entries: [string, unknown][] = [];
    const places = new Map<string, number>();
    for (let line = lines[at]; line?.indent === indent; line = lines[at]) {
      const offset = line.start + indent;
      const key = keyAt(offset, line.end);
      if (key === undefined || places.has(key.name)) throw new NotPlain();
      places.set(key.name, offset);
      entries.push([key.name, valueAt(key.end, line, indent, depth + 1)]);
    }
    refuseDeeper(indent);
    const value = Object.fromEntries(entries);
    offsets.set(value, places);
    return value;
  }

  function sequenceAt(indent: number, depth: number): readonly unknown[] {
    const items: unknown[] = [];
    const places = new Map<number, number>();
    for (let line = lines[at]; line?.indent === indent && isDash(line); line = lines[at]) {
      const start = skipSpaces(line.start + indent + 1);
      if (start >= line.end || text[start] === '#') throw new NotPlain();
      places.set(items.length, start);
      items.push(itemAt(start, line, indent, depth + 1));
    }
    refuseDeeper(indent);
    offsets.set(items, places);
    return items;
  }

  /** What follows a dash may begin an object or a list there, as if it stood in a line of its own. */
  function itemAt(start: number, line: Line, indent: number, depth: number): unknown {
    line.indent = start - line.start;
    if (isDash(line)) return sequenceAt(line.indent, checked(depth));
    if (keyAt(start, line.end) !== undefined) return mappingAt(line.indent, checked(depth));
    line.indent = indent;
    return valueAt(start, line, indent, depth);
  }

  function valueAt(from: number, line: Line, indent: number, depth: number): unknown {
    const start = skipSpaces(from);
    if (start >= line.end || text[start] === '#') return nestedAt(indent, checked(depth));
    const letter = text[start];
    if (letter === '|') return literalAt(start, line, indent);
    if (letter === '{' || letter === '[') return flowValueAt(start, indent, depth);
    const { value, end } = scalarAt(start, line.end);
    if (!endsLine(end, line.end)) throw new NotPlain();
    at += 1;
    return value;
  }

  /** What stands in the lines below; a list may stand as far out as the key that it belongs to. */
  function nestedAt(indent: number, depth: number): unknown {
    at += 1;
    const next = lines[at];
    if (next === undefined || next.indent < indent) return null;
    if (isDash(next)) return sequenceAt(next.indent, depth);
    return next.indent > indent ? mappingAt(next.indent, depth) : null;
  }

  function flowValueAt(start: number, indent: number, depth: number): unknown {
    const { value, end } = flowAt(start, indent, checked(depth));
    while ((lines[at]?.end ?? text.length) < end) at += 1;
    if (!endsLine(end, lines[at]?.end ?? text.length)) throw new NotPlain();
    at += 1;
    return value;
  }

  function literalAt(start: number, line: Line, indent: number): string {
    const isStripped = text[start + 1] === '-';
    if (!endsLine(start + (isStripped ? 2 : 1), line.end)) throw new NotPlain();
    const body = literalBody(text, line.end, indent);
    while ((lines[at]?.start ?? text.length) < body.end) at += 1;
    return isStripped ? body.text : `${body.text}\n`;
  }

  function refuseDeeper(indent: number): void {
    if ((lines[at]?.indent ?? 0) > indent) throw new NotPlain();
  }

  function isDash({ start, end, indent }: Line): boolean {
    const offset = start + indent;
    return text[offset] === '-' && (offset + 1 === end || text[offset + 1] === ' ');
  }

  function skipSpaces(from: number): number {
    let offset = from;
    while (text[offset] === ' ') offset += 1;
    return offset;
  }
}

function checked(depth: number): number {
  if (depth > maxDepth) throw new NotPlain();
  return depth;
}

function contentLines(text: string, from: number): readonly Line[] {
  const lines: Line[] = [];
  let start = from;
  while (start < text.length) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    let content = start;
    while (text[content] === ' ') content += 1;
    if (content < end && text[content] !== '#') lines.push({ start, end, indent: content - start });
    start = end + 1;
  }
  return lines;
}

/** The lines of a literal text that are indented further than the key, without that indentation. */
function literalBody(text: string, lineEnd: number, indent: number): { readonly text: string; readonly end: number } {
  const body: string[] = [];
  let width = 0;
  let start = lineEnd + 1;
  while (start < text.length) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    let content = start;
    while (text[content] === ' ') content += 1;
    const depth = content - start;
    if (content === end) {
      if (depth > Math.max(width, indent)) throw new NotPlain();
      body.push('');
    } else {
      if (width === 0) width = depth;
      if (depth < width && depth > indent) throw new NotPlain();
      if (depth < width || depth <= indent) break;
      body.push(text.slice(start + width, end));
    }
    start = end + 1;
  }
  while (body.at(-1) === '') body.pop();
  if (body.length === 0) throw new NotPlain();
  return { text: body.join('\n'), end: Math.min(start, text.length) };
}
