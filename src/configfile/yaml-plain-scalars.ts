/** What stands there is more than plain YAML, or is wrong. */
export class NotPlain extends Error {}

interface Read<T> {
  readonly value: T;
  readonly end: number;
}

/** Characters that mean something at the beginning of a text. */
const indicators = new Set('?:,[]{}#&*!|>\'"%@`-');
const endInBlock = /:(?: |$)|(?<= )#/;
const endInFlow = /:(?:[ ,[\]{}]|$)|(?<= )#|[,[\]{}]/;

/** Texts, numbers and what stands in brackets, by offsets of the whole text. */
export function createPlainScalars(text: string, offsets: Map<object, Map<string | number, number>>) {
  return { keyAt, scalarAt, flowAt, endsLine };

  /** The key that a line has at a place, and where its colon ends; none where there is no key. */
  function keyAt(start: number, lineEnd: number): { readonly name: string; readonly end: number } | undefined {
    const quoted = quotedAt(start, lineEnd);
    const end = quoted ? skipSpaces(quoted.end) : plainEnd(start, lineEnd, false);
    if (text[end] !== ':' || !isGap(end + 1, lineEnd)) return undefined;
    return { name: quoted?.value ?? plainName(start, end), end: end + 1 };
  }

  function plainName(start: number, end: number): string {
    refuseIndicator(start);
    const name = plainText(start, end);
    if (name.length === 0 || name.length > 1000 || name === '<<' || isNull.test(name)) throw new NotPlain();
    return name;
  }

  function scalarAt(start: number, lineEnd: number): Read<unknown> {
    const quoted = quotedAt(start, lineEnd);
    if (quoted) return quoted;
    refuseIndicator(start);
    const end = plainEnd(start, lineEnd, false);
    if (text[end] === ':') throw new NotPlain();
    return { value: resolved(plainText(start, end)), end };
  }

  function flowAt(start: number, indent: number, depth: number): Read<object> {
    if (depth > 100) throw new NotPlain();
    return text[start] === '{' ? flowMapping(start, indent, depth) : flowSequence(start, indent, depth);
  }

  function flowMapping(start: number, indent: number, depth: number): Read<object> {
    const entries: [string, unknown][] = [];
    const places = new Map<string, number>();
    let offset = skipBlank(start + 1, indent);
    while (text[offset] !== '}') {
      const { name, end } = flowKey(offset);
      if (places.has(name)) throw new NotPlain();
      const { value, end: next } = flowValue(skipBlank(end, indent), indent, depth);
      places.set(name, offset);
      entries.push([name, value]);
      offset = skipComma(next, indent, '}');
    }
    const value = Object.fromEntries(entries);
    offsets.set(value, places);
    return { value, end: offset + 1 };
  }

  function flowSequence(start: number, indent: number, depth: number): Read<object> {
    const items: unknown[] = [];
    const places = new Map<number, number>();
    let offset = skipBlank(start + 1, indent);
    while (text[offset] !== ']') {
      const { value, end } = flowValue(offset, indent, depth);
      places.set(items.length, offset);
      items.push(value);
      offset = skipComma(end, indent, ']');
    }
    offsets.set(items, places);
    return { value: items, end: offset + 1 };
  }

  function flowKey(start: number): { readonly name: string; readonly end: number } {
    const lineEnd = endOfLine(start);
    const quoted = quotedAt(start, lineEnd);
    const end = quoted ? skipSpaces(quoted.end) : plainEnd(start, lineEnd, true);
    if (text[end] !== ':' || (!quoted && !isGap(end + 1, lineEnd))) throw new NotPlain();
    return { name: quoted?.value ?? plainName(start, end), end: end + 1 };
  }

  function flowValue(start: number, indent: number, depth: number): Read<unknown> {
    const letter = text[start];
    if (letter === '{' || letter === '[') return flowAt(start, indent, depth + 1);
    const lineEnd = endOfLine(start);
    const quoted = quotedAt(start, lineEnd);
    if (quoted) return quoted;
    refuseIndicator(start);
    const end = plainEnd(start, lineEnd, true);
    return { value: resolved(plainText(start, end)), end };
  }

  function skipComma(from: number, indent: number, closing: string): number {
    const offset = skipBlank(from, indent);
    if (text[offset] === closing) return offset;
    if (text[offset] !== ',') throw new NotPlain();
    return skipBlank(offset + 1, indent);
  }

  /** Over lines that are indented further than what the brackets belong to; comments among them are not plain. */
  function skipBlank(from: number, indent: number): number {
    let offset = skipSpaces(from);
    while (text[offset] === '\n') {
      const start = offset + 1;
      offset = skipSpaces(start);
      if (text[offset] !== '\n' && offset - start <= indent) throw new NotPlain();
    }
    return offset;
  }

  function quotedAt(start: number, lineEnd: number): Read<string> | undefined {
    const quote = text[start];
    if (quote === '"') return doubleQuoted(start, lineEnd);
    return quote === "'" ? singleQuoted(start, lineEnd) : undefined;
  }

  function doubleQuoted(start: number, lineEnd: number): Read<string> {
    let end = start + 1;
    while (end < lineEnd && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    if (end >= lineEnd) throw new NotPlain();
    const inner = text.slice(start + 1, end);
    return { value: inner.includes('\\') ? unescaped(`"${inner}"`) : inner, end: end + 1 };
  }

  function singleQuoted(start: number, lineEnd: number): Read<string> {
    let end = text.indexOf("'", start + 1);
    while (end !== -1 && text[end + 1] === "'") end = text.indexOf("'", end + 2);
    if (end === -1 || end >= lineEnd) throw new NotPlain();
    return { value: text.slice(start + 1, end).replaceAll("''", "'"), end: end + 1 };
  }

  /** Where a text without quotes ends: at a colon before a gap, a comment, or what brackets are made of. */
  function plainEnd(start: number, lineEnd: number, isInFlow: boolean): number {
    const length = text.slice(start, lineEnd).search(isInFlow ? endInFlow : endInBlock);
    return length === -1 ? lineEnd : start + length;
  }

  function plainText(start: number, end: number): string {
    let last = end;
    while (last > start && text[last - 1] === ' ') last -= 1;
    return text.slice(start, last);
  }

  function isGap(offset: number, lineEnd: number): boolean {
    return offset >= lineEnd || text[offset] === ' ';
  }

  /** A minus before what is no gap is a part of the text. */
  function refuseIndicator(start: number): void {
    const letter = text[start] ?? '';
    const isMinus = letter === '-' && /[\w.$]/.test(text[start + 1] ?? '');
    if (!isMinus && (letter === '' || letter === '\n' || indicators.has(letter))) throw new NotPlain();
  }

  function endsLine(from: number, lineEnd: number): boolean {
    const offset = skipSpaces(from);
    return offset >= lineEnd || (text[offset] === '#' && offset > from);
  }

  function endOfLine(from: number): number {
    const end = text.indexOf('\n', from);
    return end === -1 ? text.length : end;
  }

  function skipSpaces(from: number): number {
    let offset = from;
    while (text[offset] === ' ') offset += 1;
    return offset;
  }
}

const isNull = /^(?:~|[Nn]ull|NULL)?$/;
const isNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
/** What the library may take for something else than a text. */
const isSpecial =
  /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|True|TRUE|False|FALSE)$/;

function resolved(word: string): unknown {
  if (word === 'true' || word === 'false') return word === 'true';
  if (isNumber.test(word)) return Number(word);
  if (isNull.test(word)) return null;
  if (isSpecial.test(word)) throw new NotPlain();
  return word;
}

/** Escapes that JSON has are the same in YAML. */
function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw new NotPlain();
  }
}
