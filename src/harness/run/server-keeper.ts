import { ExecutionError } from '../../errors.js';
import type { OpenServer, TestedServer } from '../../testedserver.js';
import type { JsonObject, Tool } from '../../toolbox.js';
import type { SuiteReport } from '../report.js';

type Crash = SuiteReport['server']['crashes'][number];

/** The servers of a suite: one that all cases share, started again after it was over, and such as a case has for itself. */
export interface ServerKeeper {
  /** The shared one. Rejects where it cannot be had. */
  get(): Promise<TestedServer>;
  /** One more, which whoever asked for it closes. */
  openOwn(): Promise<TestedServer>;
  /** As the first server lists them; none where it does not. */
  tools(): Promise<readonly Tool[]>;
  readonly current: TestedServer | undefined;
  readonly first: TestedServer | undefined;
  readonly starts: number;
  readonly crashes: readonly Crash[];
  readonly noise: readonly string[];
  close(): Promise<void>;
}

export interface KeeperOptions {
  readonly open: OpenServer;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** What is under way, for the account of a crash. */
  readonly underWay: () => readonly string[];
  readonly onStarted: (server: TestedServer) => void;
}

/** A server that cannot be started so often in a row is given up. */
const mostFailedStarts = 2;
const mostNoise = 20;

export function createKeeper({ open, timeoutMs, signal, underWay, onStarted }: KeeperOptions): ServerKeeper {
  const crashes: Crash[] = [];
  const noise: string[] = [];
  const opened = new Set<TestedServer>();
  let starts = 0;
  let failedStarts = 0;
  let lastFailure: unknown;
  let first: TestedServer | undefined;
  let current: TestedServer | undefined;
  let starting: Promise<TestedServer> | undefined;
  let listing: Promise<readonly Tool[]> | undefined;

  return {
    get() {
      if (current && !current.isOver) return Promise.resolve(current);
      starting ??= startShared().finally(() => {
        starting = undefined;
      });
      return starting;
    },
    openOwn: () => start(),
    tools() {
      listing ??= listTools();
      return listing;
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
    async close() {
      await starting?.catch(() => {});
      await Promise.all([...opened].map((server) => server.close()));
    },
  };

  async function startShared(): Promise<TestedServer> {
    if (failedStarts >= mostFailedStarts) throw lastFailure;
    try {
      current = await start();
      failedStarts = 0;
      return current;
    } catch (error) {
      failedStarts += 1;
      lastFailure = error;
      throw error;
    }
  }

  async function start(): Promise<TestedServer> {
    const server = await open({ signal });
    starts += 1;
    first ??= server;
    opened.add(server);
    onStarted(server);
    server.ended.then(({ wasAsked, message }) => {
      opened.delete(server);
      noise.push(...server.noise.slice(0, mostNoise - noise.length));
      if (!wasAsked) crashes.push({ during: underWay().join(', '), message, stderr: [...server.lastWords()] });
    });
    return server;
  }

  async function listTools(): Promise<readonly Tool[]> {
    const server = first && !first.isOver ? first : await thisServer();
    if (!server || server.introduction.capabilities.tools === undefined) return [];
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 1000; page++) {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const { outcome } = await server.request('tools/list', params, { timeoutMs, signal });
      if (outcome.kind !== 'result' || !Array.isArray(outcome.result.tools)) break;
      tools.push(...outcome.result.tools.filter(isTool));
      if (typeof outcome.result.nextCursor !== 'string' || outcome.result.nextCursor === cursor) break;
      cursor = outcome.result.nextCursor;
    }
    return tools;
  }

  async function thisServer(): Promise<TestedServer | undefined> {
    return starting ?? startShared().catch(() => undefined);
  }
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

function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
