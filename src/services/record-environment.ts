import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { serverEnvironment } from '../client/command/environment.js';

/** A process, as others see it. */
export interface SeenProcess {
  readonly words: readonly string[];
  readonly parent: number;
  /** What it was started with. */
  readonly environment: Readonly<Record<string, string>>;
}

export type SeeProcess = (pid: number) => SeenProcess | undefined;

const mostWrappers = 5;
/** More is no config of a server, but the environment of somebody. */
const mostGiven = 30;
const wrapper = /^(?:npm|npx|pnpm|yarn|bun|bunx|env)$/;
const shell = /^-?(?:sh|bash|dash|ash|zsh|ksh|fish)$/;
const ofTheWay = /^(?:_|SHLVL|PWD|OLDPWD|INIT_CWD|NODE|COLOR|EDITOR|npm_.*|MCP_EXECUTION_.*)$/;

/**
 * Variables that a client gave this process because its config says so: those that the client has not got, or not so. A server
 * in a suite needs them too. Nothing where that cannot be seen.
 */
export function givenByClient(
  environment: NodeJS.ProcessEnv,
  { pid = process.ppid, see = seeProcess }: { readonly pid?: number; readonly see?: SeeProcess } = {},
): Readonly<Record<string, string>> {
  const client = clientAbove(pid, see);
  if (client === undefined) return {};
  const passedOn = serverEnvironment();
  const given = Object.entries(environment).flatMap(([name, value]) => {
    const isNew = value !== undefined && client.environment[name] !== value;
    return isNew && !Object.hasOwn(passedOn, name) && !ofTheWay.test(name) ? [[name, value] as const] : [];
  });
  return given.length > mostGiven ? {} : Object.fromEntries(given);
}

/** Who started this process, behind shells and package managers; nobody where a person did. */
function clientAbove(pid: number, see: SeeProcess): SeenProcess | undefined {
  let seen = see(pid);
  for (let level = 0; seen !== undefined && level < mostWrappers; level += 1) {
    const [program = '', ...words] = seen.words;
    const name = basename(program.split(' ')[0] ?? '');
    if (shell.test(name) && !words.some((word) => /^-\w*c/.test(word))) return undefined;
    if (!shell.test(name) && !wrapper.test(name)) return seen;
    seen = see(seen.parent);
  }
  return undefined;
}

function seeProcess(pid: number): SeenProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      words: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'),
      parent: Number(parent),
      environment: variablesIn(readFileSync(`/proc/${pid}/environ`, 'utf8')),
    };
  } catch {
    return undefined;
  }
}

function variablesIn(text: string): Record<string, string> {
  const entries = text.split('\0').flatMap((each) => {
    const at = each.indexOf('=');
    return at > 0 ? [[each.slice(0, at), each.slice(at + 1)] as const] : [];
  });
  return Object.fromEntries(entries);
}
