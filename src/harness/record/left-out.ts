import { plainLine } from './plain-line.js';
import type { Secrets } from './secrets.js';

/** Something that a suite could have had a case for, and why it has none. */
export interface LeftOut {
  /** tool, prompt, resource, list, request, check … */
  readonly what: string;
  readonly name: string;
  /** The rest of a sentence: "it does not say that it only reads". */
  readonly reason: string;
}

/** The same, as people may see it. */
export function withoutSecrets({ what, name, reason }: LeftOut, { hidden }: Pick<Secrets, 'hidden'>): LeftOut {
  return { what, name: hidden(name), reason: hidden(reason) };
}

const mostLines = 100;

export function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut.slice(0, mostLines).map((each) => `- ${leftOutLine(each)}`);
  const rest = leftOut.length - lines.length;
  return ['Left out:', ...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

export function leftOutLine({ what, name, reason }: LeftOut): string {
  return plainLine(`${what} ${plainLine(name, 100)}: ${reason}`);
}
