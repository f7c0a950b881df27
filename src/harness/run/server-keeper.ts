import { ExecutionError } from '../../errors.js';
import type { ClientSide, OpenServer, StrayAnswer, TestedServer } from '../../testedserver.js';
import type { Tool } from '../../toolbox.js';
import type { SuiteReport } from '../report.js';
import { createToolList } from './tool-list.js';

type Crash = SuiteReport['server']['crashes'][number];

/** The servers of a suite: one that all cases share, started again after it was over, and such as a case has for itself. */
export interface ServerKeeper {
  /** The shared one. Rejects where it cannot be had. */
  get(): Promise<TestedServer>;
  /** One more, which whoever asked for it closes; for a client that can do other things than the suite's, where one is given. */
  openOwn(client?: ClientSide): Promise<TestedServer>;
  /** As a server lists them, which is this one where none was asked yet, or where its client is another; none where it does not. */
  tools(server?: TestedServer): Promise<readonly Tool[]>;
  /** What `tools` gave last; none where nobody asked. */
  readonly listedTools: readonly Tool[];
  /** Servers that are over by now ended in what is under way, although it takes a while until all of them is gone. */
  noticeEnds(): void;
  /** Whether another server took the place of the one that crashed. */
  wasReplaced(crash: Crash): boolean;
  readonly current: TestedServer | undefined;
  readonly first: TestedServer | undefined;
  readonly starts: number;
  readonly crashes: readonly Crash[];
  readonly noise: readonly string[];
  readonly strayAnswers: readonly StrayAnswer[];
  close(): Promise<void>;
}

export interface KeeperOptions {
  readonly open: OpenServer;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** What is under way, for the account of a crash. */
  readonly underWay: () => readonly string[];
  readonly onStarted: (server: TestedServer) => void;
  /** Told what nobody asked for and somebody should know. */
  readonly note: (message: string) => void;
}

/** A server that cannot be started so often in a row is given up. */
const mostFailedStarts = 2;
const mostNoise = 20;

export function createKeeper({ open, timeoutMs, signal, underWay, onStarted, note }: KeeperOptions): ServerKeeper {
  const crashes: Crash[] = [];
  const noise: string[] = [];
  const strayAnswers: StrayAnswer[] = [];
  const opened = new Set<TestedServer>();
  const endedIn = new Map<TestedServer, string>();
  /** By processes, with which several sessions end at once. */
  const crashed = new Map<Crash, object>();
  const replaced = new Set<object>();
  const tools = createToolList({ timeoutMs, signal, server: get, note });
  const toolsForOther = new WeakMap<TestedServer, typeof tools>();
  let listedTools: readonly Tool[] = [];
  let starts = 0;
  let failedStarts = 0;
  let failedOwnStarts = 0;
  let lastFailure: unknown;
  let first: TestedServer | undefined;
  let current: TestedServer | undefined;
  let starting: Promise<TestedServer> | undefined;

  return {
    get,
    openOwn,
    async tools(server) {
      const ofOther = server && toolsForOther.get(server);
      if (ofOther) return ofOther(server);
      listedTools = await tools(server);
      return listedTools;
    },
    get listedTools() {
      return listedTools;
    },
    noticeEnds,
    wasReplaced(crash) {
      const process = crashed.get(crash);
      return process !== undefined && replaced.has(process);
    },
    get current() {
      return current;
    },
    get first() {
      return first;
    },
    get starts() {
      return starts;
    },
    crashes,
    get noise() {
      return [...noise, ...[...opened].flatMap((server) => server.noise)].slice(0, mostNoise);
    },
    get strayAnswers() {
      return [...strayAnswers, ...[...opened].flatMap((server) => server.strayAnswers)].slice(0, mostNoise);
    },
    async close() {
      await starting?.catch(() => {});
      await Promise.all([...opened].map((server) => server.close()));
    },
  };

  function get(): Promise<TestedServer> {
    if (current && !current.isOver) return Promise.resolve(current);
    starting ??= startShared().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function startShared(): Promise<TestedServer> {
    if (failedStarts >= mostFailedStarts) throw lastFailure;
    try {
      const before = current;
      current = await start();
      if (before) replaced.add(processOf(before));
      failedStarts = 0;
      return current;
    } catch (error) {
      failedStarts += 1;
      lastFailure = error;
      throw error;
    }
  }

  /** One that never came up is not waited for in each of many cases. */
  async function openOwn(client?: ClientSide): Promise<TestedServer> {
    if (starts === 0 && failedOwnStarts >= mostFailedStarts) throw lastFailure;
    try {
      const server = await start(client);
      // What a server offers may depend on what its client can do.
      if (client) toolsForOther.set(server, createToolList({ timeoutMs, signal, server: async () => server, note }));
      return server;
    } catch (error) {
      failedOwnStarts += 1;
      lastFailure = error;
      throw error;
    }
  }

  async function start(client?: ClientSide): Promise<TestedServer> {
    const server = await open({ signal, ...(client && { client }) });
    starts += 1;
    first ??= server;
    opened.add(server);
    onStarted(server);
    server.ended.then(({ wasAsked, message }) => {
      opened.delete(server);
      noise.push(...server.noise.slice(0, mostNoise - noise.length));
      strayAnswers.push(...server.strayAnswers.slice(0, mostNoise - strayAnswers.length));
      if (wasAsked) return;
      const process = processOf(server);
      if (crashes.some((crash) => crash.message === message && crashed.get(crash) === process)) return;
      const during = endedIn.get(server) ?? underWay().join(', ');
      const crash = { during, message, stderr: [...server.lastWords()] };
      crashes.push(crash);
      crashed.set(crash, process);
    });
    return server;
  }

  function noticeEnds(): void {
    for (const server of opened) {
      if (server.isOver && !endedIn.has(server)) endedIn.set(server, underWay().join(', '));
    }
  }
}

function processOf(server: TestedServer): object {
  return server.served?.process ?? server;
}

export function reasonOf(error: unknown): {
  readonly code?: string;
  readonly message: string;
  readonly detail?: string;
} {
  if (!(error instanceof ExecutionError)) return { message: error instanceof Error ? error.message : String(error) };
  const { stderr } = error.details;
  return { code: error.code, message: error.message, ...(stderr !== undefined && { detail: stderr }) };
}
