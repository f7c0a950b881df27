import { statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { CallerError } from '../errors.js';
import type { SuiteInput } from '../harness/suite/schema.js';
import type { Log } from '../log.js';
import { mcpExecPath } from '../python/package.js';
import { isMcpServer, pythonWords } from '../services/mcp-server-script.js';
import type { SuiteServer } from '../services/tested-server.js';
import { harmless } from './harmless.js';
import type { ServerWords, TestSettings } from './test-flags.js';
import { wrongFlag } from './test-mistakes.js';
import { readVariables } from './test-variables.js';

export type ServerInput = SuiteInput['server'];

export interface NamedServer extends SuiteServer {
  /** What a suite says of it. */
  readonly input: ServerInput;
  /** Names of its variables that the suite takes from the environment. */
  readonly taken: readonly string[];
  /** Of the guard that ends all of its processes. */
  readonly python?: string;
}

/** The server that was named on the command line, as one of a suite in this folder would be. */
export async function namedServer(
  given: ServerWords,
  folder: string,
  { engine }: TestSettings,
  log: Log,
  environment: NodeJS.ProcessEnv,
): Promise<NamedServer> {
  const { values, taken } = readVariables(given.env ?? [], environment);
  const input = serverInputOf(given, folder, values);
  const [{ suiteOf }, { literal }, { serverOf }, { guardPython }] = await Promise.all([
    import('../harness/suite/read.js'),
    import('../harness/record/literals.js'),
    import('../services/tested-server.js'),
    import('../services/guard-python.js'),
  ]);
  const python = await guardPython(engine, environment);
  const document = { version: 1, server: literal(JSON.parse(JSON.stringify(input))) };
  const suite = await suiteOf(document, { environment, folder });
  const mcpExec = { command: process.execPath, args: [mcpExecPath()] };
  return { input, taken, python, ...(await serverOf(suite, { environment, python, mcpExec, log, temp: folder })) };
}

/** What a suite in this folder says of the server that a person named on the command line, from the current folder. */
export function serverInputOf(
  given: ServerWords,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): ServerInput {
  const { url, header = [], words, isCommand } = given;
  const hasVariables = Object.keys(variables).length > 0;
  const address = url !== undefined && {
    url: checkedUrl(url),
    ...(header.length > 0 && { headers: headersOf(header) }),
  };
  if (address && words.length === 0) {
    if (hasVariables) throw wrongFlag('--env', 'a server at an address has its variables already');
    return address;
  }
  if (address && !isCommand) throw wrongFlag('--url', 'what listens there is a command behind --, or started already');
  if (header.length > 0 && !address) throw wrongFlag('--header', 'only a server at --url is sent headers');
  const [first, ...args] = words;
  if (first === undefined) throw nothingNamed();
  const env = hasVariables && { env: { ...variables } };
  if (isCommand) return { ...commandOf(first, args, folder), ...env, ...address };
  if (words.every((word) => /\.py$/i.test(word))) return { ...scriptsOf(given, folder), ...env };
  throw new CallerError('INVALID_ARGUMENTS', `A command stands behind --: -- ${harmless(words.join(' '))}`);
}

/** A suite is read from its own folder, and the command was typed in this one. */
function commandOf(command: string, args: readonly string[], folder: string): ServerInput {
  const isPath = /[\\/]/.test(command) && !isAbsolute(command);
  const cwd = relative(folder, '.');
  return {
    command: isPath ? explicitPath(relative(folder, resolve(command))) : command,
    ...(args.length > 0 && { args: [...args] }),
    ...(cwd !== '' && { cwd }),
  };
}

function scriptsOf(given: ServerWords, folder: string): ServerInput {
  const { words } = given;
  for (const word of words) {
    if (!statSync(word, { throwIfNoEntry: false })?.isFile()) {
      throw new CallerError('INVALID_SCRIPT', `There is no script ${harmless(word)} here`, { file: word });
    }
    if (isMcpServer(word)) throw serverItself(word, given);
  }
  const scripts = words.map((word) => relative(folder, resolve(word)));
  const [only = '', ...others] = scripts;
  return { script: others.length === 0 ? only : scripts };
}

/** Its functions would be served, and not the server that it is. */
function serverItself(script: string, { typed = 'mcp-exec test init', env = [] }: ServerWords): CallerError {
  const flags = env.map((word) => `--env ${word.replace(/=.*/s, '=…')}`);
  const line = [typed, ...flags, '--', ...pythonWords(script)].join(' ');
  const message = `${script} is an MCP server itself, so that it is started by its command: ${line}`;
  return new CallerError('INVALID_ARGUMENTS', harmless(message), { file: script });
}

function checkedUrl(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw wrongFlag('--url', `expected an address that begins with http:// or https://, got ${harmless(url)}`);
}

/** The value is not shown where it is wrong: it may be a secret. */
function headersOf(given: readonly string[]): Record<string, string> {
  const headers = given.map((text) => {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*?)\s*$/s.exec(text) ?? [];
    if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) {
      throw wrongFlag('--header', "expected a name and a value, such as 'Authorization: Bearer TOKEN'");
    }
    return [name, value] as const;
  });
  return Object.fromEntries(headers);
}

function nothingNamed(): CallerError {
  const message = 'Name the server: a command behind --, such as -- node server.mjs, a Python script, or --url';
  return new CallerError('INVALID_ARGUMENTS', message);
}

/** So that it is still a path, and no name of a program. */
function explicitPath(path: string): string {
  return path.includes(sep) ? path : `.${sep}${path}`;
}
