import { looksSecret } from '../../redact.js';

/** A part of a text that is secret. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** What it is called there. */
  readonly name: string;
}

const named: readonly RegExp[] = [
  // In an address, a connection string, or a line for a shell.
  /(?<before>(?:^|[?&;,\s])(?:export\s+)?(?<name>[A-Za-z_][\w.-]*)=["']?)(?<value>(?<=["'])[^"']+|[^&#;,\s"']+)/g,
  /(?<before>["'](?<name>[\w.-]+)["']\s*:\s*["'])(?<value>[^"']+)/g,
];
const credentials = /(?<before>[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,255}:)(?<value>[^\s/@]{1,255})(?=@)/gi;

/** Passwords of addresses, and values whose names look secret, or that are by `isSecret`. In their order, none within another. */
export function secretSpans(text: string, isSecret: (text: string) => boolean): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  const found = [
    ...spansOf(credentials, text, () => 'password'),
    ...named.flatMap((pattern) => spansOf(pattern, text, (name, whole) => nameOf(name, isSecret(whole)))),
  ];
  for (const { start, end, name } of found) {
    if (spans.every((other) => end <= other.start || start >= other.end)) spans.push({ start, end, name });
  }
  return spans.sort((one, other) => one.start - other.start);
}

function spansOf(
  pattern: RegExp,
  text: string,
  named: (name: string, whole: string) => string | undefined,
): readonly SecretSpan[] {
  return [...text.matchAll(pattern)].flatMap(
    ({ 0: whole, index, groups: { before = '', name = '', value = '' } = {} }) => {
      const found = named(name, whole);
      const start = index + before.length;
      return found === undefined ? [] : [{ start, end: start + value.length, name: found }];
    },
  );
}

function nameOf(name: string, isSecret: boolean): string | undefined {
  if (looksSecret(name)) return name;
  return isSecret ? `${name}_token` : undefined;
}
