import type { Log } from '../log.js';
import type { Tool } from '../toolbox.js';
import type { Logins } from './oauth/logins.js';

/** A program that speaks MCP on its standard input and output. */
export interface CommandTarget {
  readonly kind: 'command';
  readonly command: string;
  readonly args: readonly string[];
  /** Variables beside the few that are safe to pass on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A process of it may serve calls of several sessions; otherwise each session has its own. */
  readonly stateless?: boolean;
  /** Processes that are kept ready: of all, or, where each session has its own, such that belong to no session yet. */
  readonly minProcesses?: number;
  readonly maxProcesses?: number;
}

/** An MCP server at an address: Streamable HTTP, or the older HTTP with SSE. */
export interface UrlTarget {
  readonly kind: 'url';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** One connection may serve calls of several sessions; otherwise each session has its own. */
  readonly stateless?: boolean;
}

export type ServerTarget = CommandTarget | UrlTarget;

export interface ServerToolboxOptions {
  readonly log?: Log;
  /** What is said to the server of who calls. */
  readonly identity?: { readonly name: string; readonly version: string };
  /** Of one call, from when it is asked for. */
  readonly timeoutMs?: number;
  /** From the start of a process, or the first word to an address, until the server has introduced itself. */
  readonly startTimeoutMs?: number;
  /** Of the answers to a check. */
  readonly probeMs?: number;
  /** Of one message of the server. */
  readonly maxMessageBytes?: number;
  /** Calls after which a process is replaced, where it serves several sessions. */
  readonly recycleAfterCalls?: number;
  /** Of a process and all that it started; watched where there is a guard. */
  readonly memoryBytes?: number;
  /** Processes that a server may have at once, itself included; watched where there is a guard. */
  readonly maxProcessesInTree?: number;
  /** An interpreter (3.10 or newer) for the guard that ends a server's whole tree, whatever happens to this process. Linux. */
  readonly python?: string;
  /** Calls at once on one process. */
  readonly callsPerProcess?: number;
  /** Calls that may wait for a process. */
  readonly queueLength?: number;
  /** Time after which a process goes that nobody needs. */
  readonly idleMs?: number;
  /** Time after which a process, or connection, of a session goes that is not used. */
  readonly sessionIdleMs?: number;
  /** Time that a server has to end by itself once its input is closed, and again once it was asked by signal. */
  readonly graceMs?: number;
  /** Time in which a server has to show that it still answers, after a call on it was given up. */
  readonly answerMs?: number;
  /** Calls that name no session share one process, or connection, which stays however single calls end. */
  readonly keepsOne?: boolean;
  /** Whether errors tell what a process wrote at last. For its own user alone: it may be anything. */
  readonly tellsLastWords?: boolean;
  /** What it offered when it was seen last; holds until it is asked. */
  readonly rememberedTools?: readonly Tool[];
  /** Told when a process is about to be started, or an address to be connected to. */
  readonly onStart?: () => void;
  /** Told when that has introduced itself. */
  readonly onStarted?: () => void;
  /** Logins that were kept for servers at addresses. Not given: a server that asks for one is not called. */
  readonly logins?: Logins;
  /** What the person calls the server, who may have to log in to it. */
  readonly serverName?: string;
}

export type FilledOptions = Required<Omit<ServerToolboxOptions, 'log' | OptionalOption>> &
  Pick<ServerToolboxOptions, OptionalOption> & { readonly log: Log };
type OptionalOption =
  | 'memoryBytes'
  | 'maxProcessesInTree'
  | 'python'
  | 'logins'
  | 'serverName'
  | 'rememberedTools'
  | 'onStart'
  | 'onStarted';

export const maxProcessesUnlessSaid = { shared: 4, perSession: 32, connections: 1000 } as const;

const megabyte = 1024 * 1024;

export function fillOptions(options: ServerToolboxOptions): FilledOptions {
  return {
    log: silentLog,
    identity: { name: 'mcp-execution', version: '0' },
    timeoutMs: 60_000,
    startTimeoutMs: 30_000,
    probeMs: 10_000,
    maxMessageBytes: 16 * megabyte,
    recycleAfterCalls: Number.POSITIVE_INFINITY,
    callsPerProcess: 16,
    queueLength: 1000,
    idleMs: 60_000,
    sessionIdleMs: 300_000,
    graceMs: 1000,
    answerMs: 1000,
    keepsOne: false,
    tellsLastWords: false,
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  };
}

const ignore = (): void => {};
const silentLog: Log = {
  error: ignore,
  warn: ignore,
  info: ignore,
  debug: ignore,
  child: () => silentLog,
  get script() {
    return silentLog;
  },
};
