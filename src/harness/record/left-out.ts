import { plainLine } from './plain-line.js';
import type { Secrets } from './secrets.js';

/** Something that a suite could have had a case for, and why it has none. */
export interface LeftOut {
  /** tool, prompt, resource, list, request, check … */
  readonly what: string;
  readonly name: string;
  /** The rest of a sentence: "it does not say that it only reads". */
  readonly reason: string;
  /** Further reasons, in whole sentences: a suite names them all. */
  readonly more?: readonly string[];
}

/** The same, as people may see it. */
export function withoutSecrets({ what, name, reason, more }: LeftOut, { hidden }: Pick<Secrets, 'hidden'>): LeftOut {
  return { what, name: hidden(name), reason: hidden(reason), ...(more && { more: more.map(hidden) }) };
}

const mostLines = 100;
const mostReasons = 30;

export function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return [];
  const lines = bounded(leftOut, mostLines).flatMap((each) =>
    typeof each === 'string' ? [`- ${each}`] : [`- ${leftOutLine(each)}`, ...reasonLines(each)],
  );
  return ['Left out:', ...lines];
}

export function leftOutLine({ what, name, reason }: LeftOut): string {
  return plainLine(`${what} ${plainLine(name, 100)}: ${reason}`);
}

function reasonLines({ more = [] }: LeftOut): string[] {
  return bounded(more, mostReasons).map((reason) => `  ${plainLine(reason)}`);
}

function bounded<T>(items: readonly T[], most: number): readonly (T | string)[] {
  const rest = items.length - most;
  return rest > 0 ? [...items.slice(0, most), `and ${rest} more`] : items;
}
