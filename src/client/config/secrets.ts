import { looksSecret, minSecretLength, secretInWord } from '../../redact.js';
import type { ServerTarget } from '../target.js';

/** Values of an entry that must not be shown. Shorter ones than could be hidden are left out. */
export interface Secrets {
  add(value: string): void;
  addFrom(target: ServerTarget): void;
  all(): readonly string[];
}

export function createSecrets(): Secrets {
  const values = new Set<string>();
  return { add, addFrom, all: () => [...values] };

  function add(value: string): void {
    if (value.length >= minSecretLength) values.add(value);
  }

  function addFrom(target: ServerTarget): void {
    if (target.kind === 'command') {
      Object.values(target.env ?? {}).forEach(add);
      flagValues(target.args).forEach(add);
      return;
    }
    for (const value of Object.values(target.headers ?? {})) {
      add(value);
      add(withoutScheme(value));
    }
    for (const [name, value] of new URL(target.url).searchParams) if (looksSecret(name)) add(value);
  }
}

/** `--token=VALUE` and its like, and `--token VALUE`. */
function flagValues(args: readonly string[]): readonly string[] {
  return args.flatMap((word, index) => {
    const named = secretInWord(word);
    if (named) return [named.value, withoutScheme(named.value)];
    const [, name = ''] = /^--?([\w.-]+)$/.exec(word) ?? [];
    const value = args[index + 1];
    return value !== undefined && looksSecret(name) ? [value] : [];
  });
}

/** `Bearer VALUE` is shown by some as VALUE alone. */
function withoutScheme(value: string): string {
  return value.replace(/^[A-Za-z]+\s+/, '');
}
