import { homedir } from 'node:os';

/** Shorter values would match by chance, all over the text. */
export const minSecretLength = 6;

export interface Redactor {
  /** The text with every known secret, and whatever has the shape of one, replaced. */
  text(text: string): string;
}

/** Secrets are the values of variables that are named, or whose name looks secret, in the environment given. */
export function createRedactor(environment: NodeJS.ProcessEnv = process.env, names: readonly string[] = []): Redactor {
  const namesOfForms = formsOfSecrets(environment, new Set(names));
  const known = [...namesOfForms.keys()].sort((a, b) => b.length - a.length).map(escapeForPattern);
  const pattern = known.length > 0 ? new RegExp(known.join('|'), 'g') : undefined;

  return {
    text(text) {
      const withoutKnown = pattern
        ? text.replace(pattern, (value) => `[redacted ${namesOfForms.get(value) ?? 'secret'}]`)
        : text;
      return shapes.reduce((redacted, [shape, replacement]) => redacted.replace(shape, replacement), withoutKnown);
    },
  };
}

/** The home folder as `~`, wherever it stands in the text. */
export function hideHome(text: string, home: string = homedir()): string {
  if (home.length < 2 || !text.includes(home)) return text;
  return text.replace(new RegExp(`${escapeForPattern(home)}(?![\\w.-])`, 'g'), '~');
}

const secretStem = /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|CREDENTIAL|COOKIE|CONNECTIONSTRING)S?$/;
const secretWords = new Set(['AUTH', 'AUTHORIZATION', 'DSN', 'JWT', 'PASS']);
const secretAsLastOfMany = new Set(['KEY', 'KEYS', 'PWD', 'PAT']);
const keysKinds = new Set(['API', 'PRIVATE', 'ACCESS', 'SECRET', 'SIGNING', 'ENCRYPTION']);
const harmlessFirst = new Set(['MAX', 'MIN', 'NUM']);
const harmlessLast = new Set(
  'SOCK FILE PATH DIR URL URI ENDPOINT HOST PORT TIMEOUT TTL TYPE METHOD MODE LIMIT COUNT ENABLED NAME'.split(' '),
);

/** By whole words: API_TOKEN and dbPassword look secret; AUTHOR, KEYBOARD_LAYOUT, MAX_TOKENS and SSH_AUTH_SOCK do not. */
export function looksSecret(name: string): boolean {
  const words = wordsOf(name);
  const [first = '', last = ''] = [words[0], words.at(-1)];
  if (harmlessFirst.has(first) || harmlessLast.has(last)) return false;
  if (words.length > 1 && secretAsLastOfMany.has(last)) return true;
  return words.some(
    (word, index) =>
      secretStem.test(word) ||
      secretWords.has(word) ||
      (word === 'STRING' && words[index - 1] === 'CONNECTION') ||
      (word === 'KEY' && keysKinds.has(words[index - 1] ?? '')),
  );
}

/** Something of a command line that is given by name. */
export interface NamedValue {
  /** All that stands before the value. */
  readonly before: string;
  readonly name: string;
  readonly value: string;
}

/** `-eNAME=value`; `--name=value`; `NAME=value` and `--env=NAME=value`; `Name: value` and `--header=Name: value`. */
const namedForms = [
  /^(-(?:e(?=[A-Z_])|D)([A-Za-z_][\w.-]*)=)(.+)$/s,
  /^(--?([A-Za-z][\w.-]*)=)(.+)$/s,
  /^((?:--?[A-Za-z][\w-]*=)?([A-Za-z_][\w.-]*)=)(.+)$/s,
  /^((?:--?[A-Za-z][\w-]*=)?([A-Za-z][\w-]*): *)(.+)$/s,
];

/** What a word of a command line gives to a name that looks secret. */
export function secretInWord(word: string): NamedValue | undefined {
  for (const form of namedForms) {
    const [, before = '', name = '', value = ''] = form.exec(word) ?? [];
    if (looksSecret(name)) return { before, name, value };
  }
  return undefined;
}

function wordsOf(name: string): string[] {
  return name
    .slice(0, 256)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');
}

/** A secret as it is, as a URL writes it, and line by line, because a traceback quotes single lines. */
function formsOfSecrets(environment: NodeJS.ProcessEnv, named: ReadonlySet<string>): Map<string, string> {
  const forms = new Map<string, string>();
  for (const [name, value = ''] of Object.entries(environment)) {
    if (!named.has(name) && !looksSecret(name)) continue;
    const lines = value.includes('\n') ? value.split(/\r?\n/) : [];
    for (const form of [value, encodeForUrl(value), ...lines]) {
      if (form.length >= minSecretLength) forms.set(form, name);
    }
  }
  return forms;
}

function encodeForUrl(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString());
}

const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g, '[redacted key]'],
  [/\b(Bearer\s{1,4})(?=\S{0,255}\d|\S{16})[\w.~+/=-]{6,}/gi, '$1[redacted]'],
  [/\b(Authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:Basic|Token)\s{1,4})[^\s"']+/gi, '$1[redacted]'],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,255}):[^\s/@]{1,255}@/gi, '$1:[redacted]@'],
  [
    /([?&](?:api[_-]?key|(?:access_|auth_|refresh_|id_)?token|(?:client_)?secret|password|signature|sig)=)[^&\s"']+/gi,
    '$1[redacted]',
  ],
  [/(?<![\w-])sk-[\w-]{16,}/g, '[redacted token]'],
  [/(?<![\w-])[srp]k_(?:live|test)_\w{8,}/g, '[redacted token]'],
  [/(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,})/g, '[redacted token]'],
  [/(?<!\w)(?:xox[abeprs]-[\w-]{10,}|npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,}|pypi-[\w-]{50,})/g, '[redacted token]'],
  [/(?<!\w)(?:(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{35})(?![\w-])/g, '[redacted token]'],
  [/(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{5,}\.[\w-]*/g, '[redacted token]'],
];

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
