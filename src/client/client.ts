import type { CallOptions, JsonObject, Tool, ToolResult } from '../toolbox.js';
import { openCommand } from './command/link.js';
import { type Connection, openConnection } from './connection.js';
import { within } from './deadline.js';
import { handOver } from './events.js';
import { SessionLost } from './failures.js';
import type { Link } from './link.js';
import type { ToolList } from './listing.js';
import type { Seat } from './pool/member.js';
import { createPool, type Pool } from './pool/pool.js';
import { createRemote } from './remote/link.js';
import {
  type FilledOptions,
  fillOptions,
  maxProcessesUnlessSaid,
  type ServerTarget,
  type ServerToolboxOptions,
} from './target.js';
import type { ServerDescription, ServerToolbox } from './toolbox.js';

export type { CommandTarget, ServerTarget, ServerToolboxOptions, UrlTarget } from './target.js';
export type { ConnectionStatus, ServerDescription, ServerToolbox } from './toolbox.js';

/** The server as a toolbox, connected to already. */
export async function connect(target: ServerTarget, options: ServerToolboxOptions = {}): Promise<ServerToolbox> {
  const toolbox = createServerToolbox(target, options);
  try {
    await toolbox.warm();
    return toolbox;
  } catch (error) {
    await toolbox.close();
    throw error;
  }
}

/** The server as a toolbox. It is started, or connected to, when it is first needed. */
export function createServerToolbox(target: ServerTarget, given: ServerToolboxOptions = {}): ServerToolbox {
  const options = fillOptions(given);
  const listeners = new Set<() => void>();
  let tools: Promise<readonly Tool[]> | undefined;
  let known = options.rememberedTools;
  let description: ServerDescription | undefined;
  const pool = poolFor(target, options, onToolsChanged, (connection) => {
    description = { ...connection.serverInfo, instructions: connection.instructions };
  });
  const isShared = target.stateless === true;
  const seatOfList: Seat = options.keepsOne && !isShared ? everybodysSeat : { kind: 'any' };

  return {
    listTools,
    async call(name, args, callOptions = {}) {
      const timeoutMs = Math.min(options.timeoutMs, callOptions.timeoutMs ?? options.timeoutMs);
      return within(
        timeoutMs,
        ({ signal }) => onceMoreIfLost(() => callOnce(name, args, { ...callOptions, signal })),
        callOptions.signal,
      );
    },
    async warm() {
      await listTools();
    },
    async probe() {
      await onceMoreIfLost(() =>
        pool.check(async (connection) => {
          await connection.ping(options.probeMs);
          keep(await connection.listTools());
        }),
      );
    },
    async askTools() {
      const list = await onceMoreIfLost(() => pool.use({ seat: seatOfList }, (connection) => connection.listTools()));
      known = list.tools;
      tools = Promise.resolve(known);
      return list;
    },
    async restart() {
      forget();
      await pool.restart();
    },
    async recycle() {
      forget();
      pool.recycle();
    },
    endSession: (session) => pool.endSession(keyOf({ session })),
    status: () => pool.status(),
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    describe: () => description,
    close: () => pool.close(),
  };

  function listTools(): Promise<readonly Tool[]> {
    if (tools) return tools;
    const listing = onceMoreIfLost(() => pool.use({ seat: seatOfList }, (connection) => connection.listTools())).then(
      (list) => list.tools,
    );
    tools = listing;
    listing.then(
      (listed) => {
        if (tools === listing) known = listed;
      },
      () => {
        if (tools === listing) tools = undefined;
      },
    );
    return listing;
  }

  function callOnce(name: string, args: JsonObject, callOptions: CallOptions): Promise<ToolResult> {
    const { signal, onEvent } = callOptions;
    const seat = seatOf(callOptions);
    const onPosition = onEvent && ((position: number) => handOver(onEvent, { type: 'queued', position }));
    return pool.use({ seat, signal, onPosition }, (connection) =>
      connection.call({ name, args, tools: known, signal, onEvent }),
    );
  }

  function seatOf(callOptions: CallOptions): Seat {
    if (isShared) return { kind: 'shared' };
    const isNamed = callOptions.session !== undefined;
    return options.keepsOne && !isNamed ? everybodysSeat : { kind: 'own', key: keyOf(callOptions), isNamed };
  }

  /** A check sees changes too, of servers that tell nobody. */
  function keep({ tools: listed }: ToolList): void {
    const hasChanged = known !== undefined && JSON.stringify(known) !== JSON.stringify(listed);
    known = listed;
    tools = Promise.resolve(listed);
    if (hasChanged) tellListeners();
  }

  function forget(): void {
    tools = undefined;
    known = undefined;
  }

  function onToolsChanged(): void {
    forget();
    tellListeners();
  }

  function tellListeners(): void {
    for (const listener of [...listeners]) listener();
  }
}

/** Named, because whoever shares it counts on what it remembers. */
const everybodysSeat: Seat = { kind: 'own', key: 'everybody', isNamed: true };

/** What a server refused because it forgot the session was not done, and is asked for again in a new one. */
async function onceMoreIfLost<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionLost)) throw error;
  }
  try {
    return await work();
  } catch (error) {
    throw error instanceof SessionLost ? error.cause : error;
  }
}

/** Calls that name no session share one with the other such calls of their caller, and with nobody else. */
function keyOf({ session, caller = '' }: Pick<CallOptions, 'session' | 'caller'>): string {
  return session === undefined ? `caller ${caller}` : `session ${session}`;
}

type Open = (link: Link) => Promise<Connection>;

function poolFor(
  target: ServerTarget,
  options: FilledOptions,
  onToolsChanged: () => void,
  onOpened: (connection: Connection) => void,
): Pool {
  const isCommand = target.kind === 'command';
  const isShared = target.stateless === true;
  const processes = isShared ? maxProcessesUnlessSaid.shared : maxProcessesUnlessSaid.perSession;
  const reach = isCommand ? (open: Open) => open(openCommand(target, options)) : createRemote(target, options);
  return createPool({
    ...options,
    isShared,
    min: isCommand ? Math.min(target.minProcesses ?? 0, target.maxProcesses ?? processes) : 0,
    max: isCommand ? (target.maxProcesses ?? processes) : maxProcessesUnlessSaid.connections,
    async open(signal) {
      options.onStart?.();
      const connection = await reach((link) =>
        openConnection(link, { ...options, isPrivate: !isShared && !options.keepsOne, onToolsChanged }, signal),
      );
      onOpened(connection);
      options.onStarted?.();
      return connection;
    },
  });
}
