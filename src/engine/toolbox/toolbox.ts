import { randomUUID } from 'node:crypto';
import { ExecutionError, errorTable, HostError } from '../../errors.js';
import { createLog, type Log } from '../../log.js';
import { commandOf } from '../../manifest/command-line.js';
import type { Manifest, ManifestScript, ManifestTool } from '../../manifest/manifest.js';
import type { ChosenPython } from '../../python/environment-of-script.js';
import type { CallOptions, JsonObject, Toolbox, ToolResult } from '../../toolbox.js';
import { engineClosed } from '../failure.js';
import type { Engine, RunOptions, RunResult, ScriptStatus } from '../work.js';
import { createCallsUnderWay } from './calls-under-way.js';
import { type Contents, contentsOf } from './contents.js';
import { presentFailure, presentResult } from './present.js';
import { probeAll, warmAll } from './readiness.js';
import { resultOf } from './result.js';
import { unlessAborted } from './until.js';

export interface ScriptToolboxOptions {
  /** With absolute paths. */
  readonly manifest: Manifest;
  /** Asked once, by the first call or by `warm`. */
  readonly engine: () => Promise<Engine>;
  /** false: the engine serves others too. The toolbox leaves it open when it is closed, and ends what is its own. */
  readonly ownsEngine?: boolean;
  /** Whose scripts these are. */
  readonly tenant?: string;
  /** Of functions that are imported ahead of their calls; the engine's own unless said. */
  readonly isolation?: RunOptions['isolation'];
  readonly profile?: RunOptions['profile'];
  /** Lower than those of the engine, never higher. */
  readonly limits?: RunOptions['limits'];
  /** The interpreter of an environment made for a script; nothing for the engine's own choice. */
  readonly pythonFor?: (script: ManifestScript) => Promise<ChosenPython | undefined>;
  readonly log?: Log;
  /** While a script is being edited, the version in the manifest is the one that serves. */
  readonly keepsVersions?: boolean;
  /** The session of calls that name none; one that this toolbox has alone unless said. */
  readonly session?: string;
}

/** The scripts of a manifest as tools. */
export interface ScriptToolbox extends Toolbox {
  readonly manifest: Manifest;
  /** One call, with its result as the engine gives it. */
  run(name: string, args: JsonObject, options?: CallOptions): Promise<RunResult>;
  /** From now on these tools; calls under way finish on the ones that they began with. */
  replace(manifest: Manifest): void;
  /** Imports what may be imported ahead of calls. What goes wrong is logged, and told again by the call that meets it. */
  warm(): Promise<void>;
  /** Resolves when a call has passed through a warm process, rejects with the reason why it cannot. */
  probe(): Promise<void>;
  /** Ends every process, calls under way included; the next call starts new ones. */
  restart(): Promise<void>;
  /** Imports the scripts anew; calls under way finish on what they began with. */
  recycle(): Promise<void>;
  /** Ends what was kept for a session. */
  endSession(session: string): Promise<void>;
  status(): ToolboxStatus;
  /** Told when the tools were replaced. Gives back what ends the telling. */
  onToolsChanged(listener: () => void): () => void;
}

/** What the processes of the scripts are at. */
export type ToolboxStatus = Pick<ScriptStatus, 'idle' | 'busy' | 'starts' | 'crashes'>;

/** Of more tools than that, an agent uses few. */
const mostPrepared = 100;

const longestLogged = 4096;

type Check = typeof import('../../manifest/check/check.js');

export function createScriptToolbox(options: ScriptToolboxOptions): ScriptToolbox {
  const { pythonFor, log = createLog({ level: 'silent' }), session = randomUUID(), ownsEngine = true } = options;
  const { tenant, profile } = options;
  const group = ownsEngine ? undefined : randomUUID();
  const listeners = new Set<() => void>();
  const underWay = createCallsUnderWay();
  const ended = new AbortController();
  const pythons = new WeakMap<ManifestScript, Promise<ChosenPython | undefined>>();
  let contents = contentsOf(options.manifest);
  let made: Engine | undefined;
  let making: Promise<Engine> | undefined;
  let checking: Promise<Check> | undefined;
  let closing: Promise<void> | undefined;
  const surroundings = { engine, pythonOf, contentOf, log, whose: { tenant, group, profile } };

  return {
    get manifest() {
      return contents.manifest;
    },
    listTools: async () => contents.listed,
    run: async (name, args, callOptions) => runTool(contents, contents.toolNamed(name), args, callOptions),
    call,
    replace(manifest) {
      contents = contentsOf(manifest);
      for (const listener of listeners) listener();
    },
    async warm() {
      await Promise.all([prepareChecks(), warmAll(contents, surroundings)]);
    },
    probe: () => probeAll(contents, surroundings),
    async restart() {
      underWay.end(new HostError('UNAVAILABLE', 'The service was restarted during the call'));
      await made?.end({ group });
    },
    async recycle() {
      await made?.recycle({ group });
    },
    async endSession(name) {
      await made?.endSession(sessionNamed(name));
    },
    status() {
      const { scripts = [], starts = 0, crashes = 0 } = made?.status({ group }) ?? {};
      const sum = (name: 'idle' | 'busy') => scripts.reduce((total, status) => total + status[name], 0);
      return { idle: sum('idle'), busy: sum('busy'), starts, crashes };
    },
    onToolsChanged(listener) {
      const told = () => listener();
      listeners.add(told);
      return () => void listeners.delete(told);
    },
    close() {
      closing ??= closeEngine();
      return closing;
    },
  };

  async function call(name: string, args: JsonObject, callOptions?: CallOptions): Promise<ToolResult> {
    const startedAt = performance.now();
    const held = contents;
    const finish = (outcome: string) =>
      log.info('call', { tool: name, ms: Math.round(performance.now() - startedAt), outcome });
    try {
      const tool = held.toolNamed(name);
      const result = await runTool(held, tool, args, callOptions);
      const presented = presentResult(tool, tool.outputSchema ? resultOf(tool, result, await check()) : result);
      finish('done');
      return presented;
    } catch (error) {
      finish(error instanceof ExecutionError ? error.code : 'failed');
      if (!(error instanceof ExecutionError)) {
        log.error('call failed unexpectedly', { tool: name, error });
        throw error;
      }
      if (isScripts(error)) logFailure(name, error);
      if (isForProtocol(error)) throw error;
      return presentFailure(error);
    }
  }

  function runTool(
    held: Contents,
    tool: ManifestTool,
    args: JsonObject,
    callOptions: CallOptions = {},
  ): Promise<RunResult> {
    return underWay.run(callOptions.signal, (signal) => runUntil(signal, held, tool, args, callOptions));
  }

  async function runUntil(
    signal: AbortSignal,
    held: Contents,
    tool: ManifestTool,
    args: JsonObject,
    { onEvent, caller, priority, timeoutMs, session: named = session }: CallOptions,
  ): Promise<RunResult> {
    const { checkArguments } = await check();
    const checked = checkArguments(tool.inputSchema, args, { title: tool.name });
    const script = held.scriptOf(tool);
    const python = await unlessAborted(pythonOf(script), signal);
    const asked = await unlessAborted(engine(), signal);
    const limits = limitsFor(asked, timeoutMs);
    const { run } = tool;
    const runOptions = {
      signal,
      onEvent,
      caller,
      priority,
      python,
      content: contentOf(script),
      tenant,
      group,
      profile,
      limits,
    };
    if (run.kind === 'command') {
      return asked.run({ path: run.script, ...commandOf(run.command, checked), media: true }, runOptions);
    }
    const prewarm = script.importEffects.length === 0;
    const isolation = prewarm ? options.isolation : undefined;
    return asked.call(
      { script: run.script, function: run.function, args, prewarm, media: true },
      { ...runOptions, isolation, session: sessionNamed(named) },
    );
  }

  /** A client cannot know the limit of the engine; what it asks for beyond that is what it has. */
  function limitsFor(asked: Engine, timeoutMs: number | undefined): RunOptions['limits'] {
    const { limits } = options;
    if (timeoutMs === undefined) return limits;
    return { ...limits, timeoutMs: Math.min(timeoutMs, limits?.timeoutMs ?? asked.limits.timeoutMs) };
  }

  /** Of the same name, two toolboxes on one engine have two sessions. */
  function sessionNamed(name: string): string {
    return group === undefined ? name : `${group} ${name}`;
  }

  function logFailure(tool: string, { code, message, details }: ExecutionError): void {
    const { type, traceback, stdout, stderr, exitCode } = details;
    const printed = { stdout: lastOf(stdout), stderr: lastOf(stderr) };
    log.script.warn('call failed', { tool, code, message, type, traceback, ...printed, exitCode });
  }

  /** One that could not be made is asked for again by the next call. */
  function engine(): Promise<Engine> {
    if (closing) return Promise.reject(engineClosed());
    if (making) return making;
    const asked = options.engine();
    making = asked;
    asked.then(
      (given) => {
        made = given;
      },
      () => {
        if (making === asked) making = undefined;
      },
    );
    return asked;
  }

  async function closeEngine(): Promise<void> {
    ended.abort();
    const given = await making?.catch(() => undefined);
    if (ownsEngine) return given?.close();
    underWay.end(engineClosed());
    await given?.end({ group });
  }

  function contentOf({ sha256 }: ManifestScript): string | undefined {
    return options.keepsVersions ? sha256 : undefined;
  }

  function pythonOf(script: ManifestScript): Promise<ChosenPython | undefined> {
    if (!pythonFor) return Promise.resolve(undefined);
    const found = pythons.get(script);
    if (found) return found;
    if (ended.signal.aborted) return Promise.reject(engineClosed());
    const preparing = unlessAborted(pythonFor(script), ended.signal, engineClosed);
    pythons.set(script, preparing);
    preparing.catch(() => pythons.delete(script));
    return preparing;
  }

  /** Compiles the schemas ahead of the first calls. What is wrong with one, the call that meets it is told. */
  async function prepareChecks(): Promise<void> {
    const { prepareCheck } = await check();
    for (const { inputSchema, outputSchema } of contents.enabled.slice(0, mostPrepared)) {
      prepareCheck(inputSchema);
      if (outputSchema) prepareCheck(outputSchema);
      await new Promise(setImmediate);
    }
  }

  /** The validator is large, and `tools/list` does not wait for it. */
  function check(): Promise<Check> {
    checking ??= import('../../manifest/check/check.js');
    return checking;
  }
}

/** The result has all of it. */
function lastOf(text: string | undefined): string | undefined {
  return text !== undefined && text.length > longestLogged ? `…${text.slice(-longestLogged)}` : text;
}

function isScripts({ code, fault }: ExecutionError): boolean {
  return fault === 'script' || (fault === 'limit' && code !== 'CANCELLED');
}

/** What a model can do nothing about is answered as an error of the protocol. */
function isForProtocol({ code }: ExecutionError): boolean {
  return errorTable[code].mcp.outcome === 'error';
}
