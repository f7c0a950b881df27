import { longestTextFor } from './repetition.js';

interface Tester {
  test(text: string): boolean;
  /** By which the library tells patterns apart. */
  toString(): string;
}

const known = new Map<string, Tester>();
const keptAtMost = 1000;

/**
 * A pattern as it stands in a schema. One that only Python can read takes any text here, and so does one that could take
 * very long to refuse a text: Python checks it again, in a process that has a time limit.
 */
export function testerOf(pattern: string): Tester {
  const made = known.get(pattern) ?? bounded(pattern);
  if (known.size >= keptAtMost) known.clear();
  known.set(pattern, made);
  return made;
}

export function matchesPattern(pattern: string, text: string): boolean {
  return testerOf(pattern).test(text);
}

function bounded(pattern: string): Tester {
  const longestText = longestTextFor(pattern);
  const expression = compiled(pattern) ?? compiled(asJavaScript(pattern));
  return {
    test: (text) => text.length > longestText || expression?.test(text) !== false,
    toString: () => pattern,
  };
}

function compiled(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // the next way of reading it
    }
  }
  return undefined;
}

function asJavaScript(pattern: string): string {
  return pattern
    .replaceAll('(?P<', '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replaceAll('\\A', '^')
    .replaceAll('\\Z', '$');
}
