import { sep } from 'node:path';
import { createSecrets } from '../client/config/secrets.js';
import type { ServerTarget } from '../client/target.js';
import { createRedactor, looksSecret, type Redactor, secretInWord } from '../redact.js';
import { type FoundTarget, ownVariable } from './tested-server-target.js';

/**
 * Takes the values of variables and headers, and whatever looks secret, out of a text. A suite may have taken variables that
 * look secret into any of its texts, so their values are hidden too. Paths of the run are no secrets.
 */
export function redactionOf(
  { kind, target, starts, secrets }: FoundTarget,
  paths: readonly string[],
  environment: NodeJS.ProcessEnv,
  secretNames: readonly string[] = [],
): (text: string) => string {
  const known = createSecrets();
  known.addFrom(kind === 'config' ? target : withoutPlainVariables(target, environment));
  if (starts) known.addFrom(withoutPlainVariables(starts, environment));
  secrets.forEach(known.add);
  const hidden = known
    .all()
    .filter((value) => !paths.some((path) => value === path || value.startsWith(`${path}${sep}`)));
  const named = Object.fromEntries(hidden.map((value, index) => [nameOf(value, index, [target, starts]), value]));
  const redactors = [...redactorsOf(named, Object.keys(named)), ...redactorsOf(environment, secretNames)];
  return (given) => redactors.reduce((text, redactor) => redactor.text(text), given);
}

/** For the values as they are, as JSON writes them, and as JSON writes them in a text of JSON. */
function redactorsOf(variables: NodeJS.ProcessEnv, names: readonly string[]): readonly Redactor[] {
  const secret = Object.entries(variables).filter(([name]) => names.includes(name) || looksSecret(name));
  const escaped = withEscapes(Object.fromEntries(secret));
  const escapedTwice = withEscapes(escaped);
  return [variables, escaped, escapedTwice]
    .filter((each, index) => index === 0 || Object.keys(each).length > 0)
    .map((each) => createRedactor(each, names));
}

function withEscapes(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value = '']) => {
      const escaped = JSON.stringify(value).slice(1, -1);
      return escaped === value ? [] : [[name, escaped]];
    }),
  );
}

/**
 * What a suite writes down itself is no secret, unless its name says so; what it takes from the environment may be one. Of a
 * person's config that is not known.
 */
function withoutPlainVariables(target: FoundTarget['target'], environment: NodeJS.ProcessEnv): FoundTarget['target'] {
  if (target.kind === 'url') return target;
  const taken = new Set(Object.values(environment));
  const secret = Object.entries(target.env ?? {}).filter(
    ([name, value]) => looksSecret(name) || (taken.has(value) && !ownVariable.test(name)),
  );
  return { ...target, env: Object.fromEntries(secret) };
}

export function shownTarget({ target, starts, words, name }: FoundTarget): string {
  const command = starts ?? (target.kind === 'command' ? target : undefined);
  const shown = [
    ...(command ? [shownCommand(words ?? [command.command, ...command.args])] : []),
    ...(target.kind === 'url' ? [shownAddress(target.url)] : []),
  ].join(' at ');
  return name === undefined ? shown : `${name}: ${shown}`;
}

function shownCommand(words: readonly string[]): string {
  return shownWords(words).map(quoted).join(' ');
}

const hiddenWord = '[redacted]';

/** `--token=VALUE` and its like, and `--token VALUE`. */
function shownWords(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const named = secretInWord(word);
    if (named) return `${named.before}${hiddenWord}`;
    const [, before = ''] = /^--?([\w.-]+)$/.exec(words[index - 1] ?? '') ?? [];
    return looksSecret(before) ? hiddenWord : word;
  });
}

function shownAddress(address: string): string {
  const url = new URL(address);
  for (const name of url.searchParams.keys()) if (looksSecret(name)) url.searchParams.set(name, 'redacted');
  return url.href;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./[\]-]+$/.test(word) ? word : JSON.stringify(word);
}

/** The variable or header that has the value, for what is said in its place. */
function nameOf(value: string, index: number, targets: readonly (ServerTarget | undefined)[]): string {
  const records = targets.map((target) => (target?.kind === 'command' ? target.env : target?.headers));
  const found = records.flatMap((record) => Object.entries(record ?? {})).find(([, each]) => each === value);
  return found?.[0] ?? `value ${index + 1}`;
}
