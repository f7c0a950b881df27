import type { Log } from '../log.js';

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
}

export type FilledOptions = Required<
  Omit<ServerToolboxOptions, 'log' | 'memoryBytes' | 'maxProcessesInTree' | 'python'>
> &
  Pick<ServerToolboxOptions, 'memoryBytes' | 'maxProcessesInTree' | 'python'> & { readonly log: Log };

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
