import { looksSecret, secretInWord } from '../../redact.js';
import type { SuiteInput } from '../suite/schema.js';
import { literalText } from './literals.js';
import { secretSpans } from './secret-spans.js';
import type { Secrets } from './secrets.js';

export type ServerInput = SuiteInput['server'];

const flag = /^--?[\w-]+$/;
const lineFlag = /^-[a-z]*c$/;
const takesVariable = /(?:^|=)["']?\$[\w{(]/;
const shellWord = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g;

/**
 * The server as a suite may name it: literal, and with variables in the place of secrets. Those that are taken from the
 * environment, by their names, stay variables.
 */
export function withoutServerSecrets(
  server: ServerInput,
  secrets: Secrets,
  taken: readonly string[] = [],
): ServerInput {
  if ('command' in server) {
    const { command, args, env, cwd, url, headers } = server;
    return {
      ...server,
      command: literalText(command),
      ...(args && { args: args.map((arg, index) => inArgument(arg, args[index - 1])) }),
      ...(env && { env: inEach(env, 'the environment of the server', taken) }),
      ...(cwd !== undefined && { cwd: literalText(cwd) }),
      ...(url !== undefined && { url: inParts(url, 'the address') }),
      ...(headers && { headers: inEach(headers, 'the headers') }),
    };
  }
  if ('url' in server) {
    const { url, headers } = server;
    return { ...server, url: inParts(url, 'the address'), ...(headers && { headers: inEach(headers, 'the headers') }) };
  }
  if ('script' in server) {
    const { script, flags, env } = server;
    return {
      ...server,
      script: typeof script === 'string' ? literalText(script) : script.map(literalText),
      ...(flags && { flags: flags.map(literalText) }),
      ...(env && { env: inEach(env, 'the environment of the server', taken) }),
    };
  }
  return { ...server, name: literalText(server.name) };

  function inEach(
    given: Readonly<Record<string, string>>,
    where: string,
    kept: readonly string[] = [],
  ): Record<string, string> {
    const entries = Object.entries(given).map(([name, value]) => {
      return [name, kept.includes(name) ? `\${${name}}` : secrets.inText(value, where, name)] as const;
    });
    return Object.fromEntries(entries);
  }

  function inArgument(arg: string, before = ''): string {
    if (lineFlag.test(before) && /\s/.test(arg)) return inShellLine(arg);
    const named = secretInWord(arg);
    if (named) return literalText(named.before) + inQuotes(named.value, named.name);
    const name = flag.test(before) && !arg.startsWith('-') ? before : '';
    return looksSecret(name) ? inQuotes(arg, name) : inParts(arg, inArguments, name);
  }

  function inShellLine(line: string): string {
    let written = '';
    let end = 0;
    let before = '';
    for (const { index, 0: word } of line.matchAll(shellWord)) {
      written += literalText(line.slice(end, index));
      written += takesVariable.test(word) ? literalText(word) : inArgument(word, before);
      end = index + word.length;
      before = word;
    }
    return written + literalText(line.slice(end));
  }

  /** The quotes of a shell are none of the value. */
  function inQuotes(value: string, name: string): string {
    const [, quote = '', inner = value] = /^(["'])(.+)\1$/s.exec(value) ?? [];
    return quote + secrets.inText(inner, inArguments, name) + quote;
  }

  /** Only what is secret becomes a variable, so that one still sees where an address leads. */
  function inParts(text: string, where: string, name = ''): string {
    const spans = secretSpans(text, secrets.isIn);
    if (spans.length === 0) return secrets.inText(text, where, name);
    let written = '';
    let end = 0;
    for (const span of spans) {
      const value = secrets.inText(text.slice(span.start, span.end), where, span.name);
      written += secrets.inText(text.slice(end, span.start), where) + value;
      end = span.end;
    }
    return written + secrets.inText(text.slice(end), where);
  }
}

const inArguments = 'the arguments of the server';
