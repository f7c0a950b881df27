import { looksSecret } from '../../redact.js';
import type { SuiteInput } from '../suite/schema.js';
import { literalText } from './literals.js';
import type { Secrets } from './secrets.js';

export type ServerInput = SuiteInput['server'];

const flagWithValue = /^(--?[\w-]+)=(.+)$/s;
const flag = /^--?[\w-]+$/;
const header = /^([A-Za-z][\w-]*): *(.+)$/s;
const queryValue = /([?&]([\w.-]+)=)([^&#\s]+)/g;

/** The server as a suite may name it: literal, and with variables in the place of secrets. */
export function withoutServerSecrets(server: ServerInput, secrets: Secrets): ServerInput {
  if ('command' in server) {
    const { command, args, env, cwd } = server;
    return {
      ...server,
      command: literalText(command),
      ...(args && { args: args.map((arg, index) => inArgument(arg, args[index - 1])) }),
      ...(env && { env: inEach(env, 'the environment of the server') }),
      ...(cwd !== undefined && { cwd: literalText(cwd) }),
    };
  }
  if ('url' in server) {
    const { url, headers } = server;
    return { ...server, url: inUrl(url, 'the address'), ...(headers && { headers: inEach(headers, 'the headers') }) };
  }
  if ('script' in server) {
    const { script, flags, env } = server;
    return {
      ...server,
      script: typeof script === 'string' ? literalText(script) : script.map(literalText),
      ...(flags && { flags: flags.map(literalText) }),
      ...(env && { env: inEach(env, 'the environment of the server') }),
    };
  }
  return { ...server, name: literalText(server.name) };

  function inEach(given: Readonly<Record<string, string>>, where: string): Record<string, string> {
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, secrets.inText(value, where, name)]));
  }

  function inArgument(arg: string, before: string | undefined): string {
    const where = 'the arguments of the server';
    const [, name, value] = flagWithValue.exec(arg) ?? header.exec(arg) ?? [];
    if (name !== undefined && value !== undefined && looksSecret(name)) {
      return literalText(arg.slice(0, -value.length)) + secrets.inText(value, where, name);
    }
    if (/^https?:\/\//.test(arg)) return inUrl(arg, where);
    const isValue = before !== undefined && flag.test(before) && !arg.startsWith('-');
    return secrets.inText(arg, where, isValue ? before : '');
  }

  /** Of an address only what is secret becomes a variable, so that one still sees where it leads. */
  function inUrl(url: string, where: string): string {
    let written = '';
    let end = 0;
    for (const { index, 0: whole, 1: before = '', 2: name = '', 3: value = '' } of url.matchAll(queryValue)) {
      if (!looksSecret(name) && !secrets.isIn(whole)) continue;
      written += secrets.inText(url.slice(end, index) + before, where) + secrets.inText(value, where, secretName(name));
      end = index + whole.length;
    }
    return written + secrets.inText(url.slice(end), where);
  }
}

function secretName(name: string): string {
  return looksSecret(name) ? name : `${name}_token`;
}
