import { resolve } from 'node:path';
import type { ServerEntry } from '../client/config/config.js';
import type { CommandTarget, ServerTarget, UrlTarget } from '../client/target.js';
import { CallerError } from '../errors.js';
import type { SuiteParts } from '../harness/harness.js';
import type { ServerSpec } from '../harness/suite/schema.js';
import { fillValues, UnknownValue, type Values } from '../harness/suite/values.js';
import type { Suite } from '../harness/suite.js';
import type { Log } from '../log.js';
import { nearest } from '../nearest.js';
import { isMcpServer, pythonWords } from './mcp-server-script.js';

export interface FoundTarget {
  readonly kind: SuiteParts['kind'];
  readonly target: ServerTarget;
  /** The command that listens at the target, where it is started from here. */
  readonly starts?: CommandTarget;
  /** Values that must not be shown, beside those of variables and headers. */
  readonly secrets: readonly string[];
  /** What it is called, where it has a name. */
  readonly name?: string;
  /** What is shown in place of the command that it really is. */
  readonly words?: readonly string[];
  readonly startTimeoutMs?: number;
  /** What a person should know who thinks that this is the server. */
  readonly notes?: readonly string[];
}

export interface TargetOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly mcpExec: { readonly command: string; readonly args: readonly string[] };
  readonly log: Log;
  readonly values: Values;
}

type CommandSpec = Extract<ServerSpec, { readonly command: string }>;
type UrlSpec = Extract<ServerSpec, { readonly url: string }>;
type ScriptSpec = Extract<ServerSpec, { readonly script: unknown }>;
type ConfigSpec = Exclude<ServerSpec, CommandSpec | UrlSpec | ScriptSpec>;
type Fill = (text: string) => string;

export async function targetOf(suite: Suite, options: TargetOptions): Promise<FoundTarget> {
  const { server } = suite.document;
  const fill = fillerFor(suite, options.values);
  if ('command' in server) return commandTarget(server, suite, fill);
  if ('url' in server) return urlTarget(server, suite, fill);
  if ('script' in server) return scriptTarget(server, suite, fill, options);
  return configTarget(server, suite, fill, options);
}

/** A command with a separator is a path beside the suite; one without is looked for in the PATH. */
function commandTarget(spec: CommandSpec, suite: Suite, fill: Fill): FoundTarget {
  const { command, args, env, cwd, url, headers = {} } = spec;
  const { folder } = suite;
  const named = fill(command);
  const target: CommandTarget = {
    kind: 'command',
    command: /[\\/]/.test(named) ? resolve(folder, named) : named,
    args: args.map(fill),
    env: filledRecord(env, fill),
    cwd: resolve(folder, fill(cwd ?? '.')),
  };
  const found = { kind: 'command', secrets: [], words: [named, ...target.args] } as const;
  if (url === undefined) return { ...found, target };
  return { ...found, target: addressOf({ url, headers }, suite, fill), starts: target };
}

function urlTarget(spec: UrlSpec, suite: Suite, fill: Fill): FoundTarget {
  return { kind: 'url', target: addressOf(spec, suite, fill), secrets: [] };
}

function addressOf({ url, headers }: Pick<UrlSpec, 'url' | 'headers'>, suite: Suite, fill: Fill): UrlTarget {
  const address = fill(url);
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  if (parsed?.username || parsed?.password) {
    throw wrong(suite, 'the address holds credentials; put them into headers, such as Authorization');
  }
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw wrong(suite, 'expected an address that begins with http:// or https://');
  }
  return { kind: 'url', url: address, headers: filledRecord(headers, fill) };
}

export const ownVariable = /^MCP_EXECUTION_/;

/** Settings of ours that stand in the environment hold for the script, too. */
function scriptTarget(spec: ScriptSpec, { folder }: Suite, fill: Fill, options: TargetOptions): FoundTarget {
  const { environment, mcpExec } = options;
  const scripts = (typeof spec.script === 'string' ? [spec.script] : spec.script).map(fill);
  const flags = spec.flags.map(fill);
  const own = Object.entries(environment).filter(([name]) => ownVariable.test(name));
  const target: CommandTarget = {
    kind: 'command',
    command: mcpExec.command,
    args: [...mcpExec.args, 'serve', ...scripts.map((script) => resolve(folder, script)), ...flags],
    env: {
      ...Object.fromEntries(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
      ...filledRecord(spec.env, fill),
    },
    cwd: resolve(folder, fill(spec.cwd ?? '.')),
  };
  const servers = scripts.filter((script) => isMcpServer(resolve(folder, script)));
  const words = ['mcp-exec', 'serve', ...scripts, ...flags];
  return { kind: 'script', target, secrets: [], words, notes: servers.map(noteOnServer) };
}

function noteOnServer(script: string): string {
  const [command, arg] = pythonWords(script);
  const written = `server: { command: ${command}, args: [${arg}] }`;
  return `${script} is an MCP server itself; this suite tests its functions as mcp-exec serve offers them. The server is tested with ${written}.`;
}

async function configTarget(spec: ConfigSpec, suite: Suite, fill: Fill, options: TargetOptions): Promise<FoundTarget> {
  const { environment, log } = options;
  const { readMcpConfig } = await import('../client/config/config.js');
  const { config = [] } = spec;
  const sources = (typeof config === 'string' ? [config] : config).map(fill);
  // Files that the suite names are beside it; those that are looked for are where the person works.
  const cwd = sources.length > 0 ? suite.folder : process.cwd();
  const { entries, notes } = await readMcpConfig(sources, { environment, cwd });
  for (const note of notes) log.warn(note);
  const entry = entryOf(fill(spec.name), entries, suite);
  if (entry.problem) throw entry.problem;
  if (!entry.target) throw wrong(suite, `the server ${entry.name} is disabled in ${entry.origin}; enable it there`);
  const { name, target, secrets, startTimeoutMs } = entry;
  return { kind: 'config', target, secrets, name, startTimeoutMs };
}

function entryOf(name: string, entries: readonly ServerEntry[], suite: Suite): ServerEntry {
  const entry = entries.find((each) => each.name === name);
  if (entry) return entry;
  const names = entries.map((each) => each.name);
  const near = nearest(name, names);
  const few = names.slice(0, 20).join(', ');
  const hint = near === undefined ? `It has: ${few === '' ? 'none' : few}.` : `Did you mean ${near}?`;
  const message = `${placeIn(suite)}: the config names no MCP server ${JSON.stringify(name.slice(0, 200))}. ${hint}`;
  throw new CallerError('UNKNOWN_SERVER', message, { file: suite.file });
}

function fillerFor(suite: Suite, values: Values): Fill {
  return (text) => {
    try {
      const filled = fillValues(text, values);
      return typeof filled === 'string' ? filled : JSON.stringify(filled);
    } catch (error) {
      throw error instanceof UnknownValue ? wrong(suite, error.message) : error;
    }
  };
}

function filledRecord(record: Readonly<Record<string, string>>, fill: Fill): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, fill(value)]));
}

function wrong(suite: Suite, reason: string): CallerError {
  return new CallerError('INVALID_SUITE', `${placeIn(suite)}: ${reason}`, { file: suite.file });
}

function placeIn({ file }: Suite): string {
  return `${file}: server`;
}
