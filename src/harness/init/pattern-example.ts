/** A text that a simple regular expression matches; nothing where it is not simple. The expression is never run. */
export function patternExample(pattern: string, minLength: number): string | undefined {
  if (pattern.length > longestPattern) return undefined;
  try {
    const shortest = createReader(pattern, 0).read();
    const missing = minLength - shortest.length;
    return missing > 0 ? stretched(pattern, missing, minLength) : bounded(shortest);
  } catch (error) {
    if (error instanceof NotSimple) return undefined;
    throw error;
  }
}

const longestPattern = 500;
const longestText = 1000;
const deepest = 20;
const classes: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a' };
const likely = 'a1A-_ .0zZ9/@';

/** Of a class of characters. */
interface Member {
  readonly one: string;
  has(character: string): boolean;
}

class NotSimple extends Error {}

function stretched(pattern: string, missing: number, minLength: number): string | undefined {
  const text = createReader(pattern, missing).read();
  return text.length >= minLength ? bounded(text) : undefined;
}

function bounded(text: string): string | undefined {
  return text.length <= longestText ? text : undefined;
}

/** The first thing that may be repeated without end is repeated `extra` times more than it has to be. */
function createReader(pattern: string, extra: number): { read(): string } {
  let at = 0;
  let toStretch = Math.min(extra, longestText);

  return {
    read() {
      const text = alternatives(0);
      if (at < pattern.length) throw new NotSimple();
      return text;
    },
  };

  function alternatives(depth: number): string {
    if (depth > deepest) throw new NotSimple();
    const first = sequence(depth);
    while (pattern[at] === '|') {
      at += 1;
      // Only the first one is given, but where it ends has to be known.
      const kept = toStretch;
      sequence(depth);
      toStretch = kept;
    }
    return first;
  }

  function sequence(depth: number): string {
    let text = '';
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
      text += repeated(atom(depth));
      if (text.length > longestText) throw new NotSimple();
    }
    return text;
  }

  function atom(depth: number): string {
    const character = next();
    if (character === '^' || character === '$') return '';
    if (character === '.') return 'a';
    if (character === '\\') return escaped();
    if (character === '[') return oneOf();
    if (character === '(') return group(depth);
    if ('*+?{}])'.includes(character)) throw new NotSimple();
    return character;
  }

  function group(depth: number): string {
    if (pattern[at] === '?') {
      const [begin] = /^\?(?::|<[A-Za-z_]\w*>)/.exec(pattern.slice(at, at + 60)) ?? [];
      if (begin === undefined) throw new NotSimple();
      at += begin.length;
    }
    const text = alternatives(depth + 1);
    if (next() !== ')') throw new NotSimple();
    return text;
  }

  function escaped(): string {
    const character = next();
    const known = classes[character];
    if (known !== undefined) return known;
    if (/[A-Za-z0-9]/.test(character)) throw new NotSimple();
    return character;
  }

  /** A class of characters: one that is in it. */
  function oneOf(): string {
    const isNegated = pattern[at] === '^';
    if (isNegated) at += 1;
    const members: Member[] = [];
    for (let found = member(); found !== undefined; found = member()) members.push(found);
    if (!isNegated) return members[0]?.one ?? fail();
    return [...likely].find((each) => !members.some(({ has }) => has(each))) ?? fail();
  }

  function member(): Member | undefined {
    const first = next();
    if (first === ']') return undefined;
    const named = first === '\\' ? classes[pattern[at] ?? ''] : undefined;
    if (named !== undefined) {
      const inside = new RegExp(`\\${next()}`);
      return { one: named, has: (character) => inside.test(character) };
    }
    const from = first === '\\' ? escaped() : first;
    if (pattern[at] !== '-' || pattern[at + 1] === ']') return { one: from, has: (character) => character === from };
    at += 1;
    const last = next();
    const to = last === '\\' ? escaped() : last;
    return { one: from, has: (character) => character >= from && character <= to };
  }

  function repeated(text: string): string {
    const [written = '', exact, least] = /^(?:\{(\d+)\}|\{(\d+),\d*\}|[*+?])\??/.exec(pattern.slice(at, at + 30)) ?? [];
    at += written.length;
    const isEndless = /^(?:[*+]|\{\d+,\})/.test(written);
    const times = exact ?? least ?? (written.startsWith('*') || written.startsWith('?') ? 0 : 1);
    const more = isEndless && text !== '' ? toStretch : 0;
    if (more > 0) toStretch = 0;
    const count = Number(times) + more;
    if (count * text.length > longestText) throw new NotSimple();
    return text.repeat(count);
  }

  function next(): string {
    const character = pattern[at];
    if (character === undefined) throw new NotSimple();
    at += 1;
    return character;
  }
}

function fail(): never {
  throw new NotSimple();
}
