import { CallerError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { CallOptions, JsonObject, ToolResult } from '../../toolbox.js';
import type { ListedTools, ListOptions } from '../../toolsource.js';
import { createServerToolbox } from '../client.js';
import type { ServerEntry } from '../config/config.js';
import { longestTimerMs, unlessAborted, within } from '../deadline.js';
import { closedReason, unknownTool } from '../failures.js';
import type { ServerTarget } from '../target.js';
import type { ServerToolbox } from '../toolbox.js';
import { timedFromStart } from './call-time.js';
import { keyOfEntry } from './entry-key.js';
import { withoutSecretsOfErrors } from './failed-results.js';
import type { ListMemory } from './list-memory.js';
import { nameError } from './named-errors.js';
import { holdsSecret, redactorOf, secretsOf, withoutSecrets } from './secrets.js';
import type { ServersOptions } from './servers.js';
import { type AskedList, createToolLists } from './tool-lists.js';

/** One server of a config. */
export interface Server {
  list(options?: ListOptions): Promise<ListedTools>;
  call(tool: string, args: JsonObject, options?: CallOptions): Promise<ToolResult>;
  /** Anything else that a toolbox can do; its errors name the server. */
  use<T>(work: (toolbox: ServerToolbox) => Promise<T>): Promise<T>;
  /** What there is of it, once it was needed. */
  opened(): ServerToolbox | undefined;
  onToolsChanged(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface ServerOptions extends ServersOptions {
  readonly log: Log;
  readonly memory: ListMemory;
  readonly onToolsChanged: () => void;
}

const maxMessageBytes = 64 * 1024 * 1024;
/** A script may ask for much at once, and the scripts of all share one process. */
const callsAtOnce = 64;
const callsWaiting = 10_000;
/** One that is busy with the call of another script is not hung. */
const answerMs = 10_000;
/** However short calls are: a list may have many pages. */
const leastListMs = 30_000;
const longestTitle = 200;
const longestInstructions = 10_000;

export function createServer(entry: ServerEntry, target: ServerTarget, options: ServerOptions): Server {
  const { name } = entry;
  const { memory } = options;
  const secrets = secretsOf(entry);
  const redactor = redactorOf(secrets);
  const startTimeoutMs = entry.startTimeoutMs ?? options.startTimeoutMs;
  const callTimeoutMs = entry.timeoutMs ?? options.callTimeoutMs;
  const log = withoutSecrets(options.log.child({ server: name }), redactor);
  const listeners = new Set([options.onToolsChanged]);
  const startListeners = new Set<() => void>();
  let key: Promise<string> | undefined;
  let opened: ServerToolbox | undefined;
  let isClosed = false;

  const lists = createToolLists({
    ask,
    recall: async () => memory.recall(await keyOf()),
    async remember(list) {
      if (!holdsSecret(JSON.stringify(list), secrets)) return memory.remember(await keyOf(), list);
      log.info('the list of tools is not remembered, because it holds a value that the config gives the server');
      await memory.forget(await keyOf());
    },
    forget: async () => memory.forget(await keyOf()),
    onChanged() {
      for (const listener of [...listeners]) tell(listener);
    },
  });

  return {
    list: (listOptions) => named(() => lists.list(listOptions)),
    call: (tool, args, callOptions = {}) =>
      named(async () => withoutSecretsOfErrors(await call(tool, args, callOptions), redactor)),
    use: (work) => named(async () => work(await open())),
    opened: () => opened,
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    async close() {
      isClosed = true;
      await opened?.close();
      await lists.settled();
    },
  };

  async function named<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (isClosed) throw closedReason();
      return await work();
    } catch (error) {
      throw nameError(name, redactor, error);
    }
  }

  /** Whoever listens may throw without harm to the server. */
  function tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      log.error('a listener to an MCP server threw', { error });
    }
  }

  /** Sessions and callers are not told apart: see `call` of Servers. The caller's time counts from now, ours from when it runs. */
  function call(tool: string, args: JsonObject, { signal, onEvent, timeoutMs }: CallOptions): Promise<ToolResult> {
    if (timeoutMs === undefined) return unlessAborted(signal, () => callOnceKnown(tool, args, { signal, onEvent }));
    return within(timeoutMs, (own) => callOnceKnown(tool, args, { ...own, onEvent }), signal);
  }

  async function callOnceKnown(tool: string, args: JsonObject, given: CallOptions): Promise<ToolResult> {
    const { signal } = given;
    const known = await lists.known();
    const isOfThisRun = known !== undefined && !known.isRemembered;
    if (!isOfThisRun && !(known && hasTool(known, tool))) await lists.list({ fresh: true, signal });
    try {
      const result = await callInTime(tool, args, given);
      if (result.isError && !isOfThisRun) await refuseIfGone(tool);
      return result;
    } catch (error) {
      if (!isOfThisRun && error instanceof CallerError && error.code === 'INVALID_ARGUMENTS') await refuseIfGone(tool);
      throw error;
    }
  }

  async function callInTime(tool: string, args: JsonObject, given: CallOptions): Promise<ToolResult> {
    const toolbox = await open();
    const { idle, busy } = toolbox.status();
    if (idle + busy > 0) return toolbox.call(tool, args, { ...given, timeoutMs: callTimeoutMs });
    const time = { timeoutMs: callTimeoutMs, signal: given.signal, onceStarted };
    return timedFromStart(time, (signal) => toolbox.call(tool, args, { ...given, signal }));
  }

  function onceStarted(listener: () => void): () => void {
    startListeners.add(listener);
    return () => startListeners.delete(listener);
  }

  /** What was remembered may name a tool that the server lost since; its own word on the call is then of little use. */
  async function refuseIfGone(tool: string): Promise<void> {
    const listed = await lists.list().catch(() => undefined);
    const now = listed?.isRemembered ? await lists.list({ fresh: true }).catch(() => undefined) : listed;
    if (now && !hasTool(now, tool)) throw unknownTool(tool, now.tools);
  }

  async function ask(): Promise<AskedList> {
    const toolbox = await open();
    const { tools, ttlMs } = await within(startTimeoutMs + Math.max(callTimeoutMs, leastListMs), () =>
      toolbox.askTools(),
    );
    const { title, name: ownName, instructions } = toolbox.describe() ?? {};
    const shownTitle = title ?? ownName;
    return {
      tools,
      ...(ttlMs !== undefined && { ttlMs }),
      ...(shownTitle !== undefined && { title: shownTitle.slice(0, longestTitle) }),
      ...(instructions !== undefined && { instructions: instructions.slice(0, longestInstructions) }),
    };
  }

  function keyOf(): Promise<string> {
    key ??= keyOfEntry(target);
    return key;
  }

  async function open(): Promise<ServerToolbox> {
    const rememberedTools = opened ? undefined : (await lists.known())?.tools;
    if (isClosed) throw closedReason();
    opened ??= create(rememberedTools);
    return opened;
  }

  function create(rememberedTools: ListedTools['tools'] | undefined): ServerToolbox {
    const toolbox = createServerToolbox(target, {
      log,
      identity: options.identity,
      logins: options.logins,
      serverName: name,
      python: options.python,
      timeoutMs: callTimeoutMs + startTimeoutMs,
      startTimeoutMs,
      maxMessageBytes: options.maxMessageBytes ?? maxMessageBytes,
      callsPerProcess: callsAtOnce,
      queueLength: callsWaiting,
      sessionIdleMs: longestTimerMs,
      answerMs,
      keepsOne: true,
      tellsLastWords: true,
      rememberedTools,
      onStart: () => tell(() => options.onStart?.(name)),
      onStarted() {
        lists.started();
        for (const listener of [...startListeners]) listener();
        startListeners.clear();
        tell(() => options.onStarted?.(name));
      },
    });
    toolbox.onToolsChanged(lists.changed);
    return toolbox;
  }
}

function hasTool({ tools }: ListedTools, name: string): boolean {
  return tools.some((tool) => tool.name === name);
}
