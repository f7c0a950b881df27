import { randomUUID } from 'node:crypto';
import { ExecutionError, errorTable } from '../../errors.js';
import { createLog, type Log } from '../../log.js';
import { commandOf } from '../../manifest/command-line.js';
import type { Manifest, ManifestScript, ManifestTool } from '../../manifest/manifest.js';
import type { ChosenPython } from '../../python/environment-of-script.js';
import type { CallOptions, JsonObject, Toolbox, ToolResult } from '../../toolbox.js';
import { engineClosed } from '../failure.js';
import type { Engine, RunOptions, RunResult } from '../work.js';
import { type Contents, contentsOf } from './contents.js';
import { presentFailure, presentResult } from './present.js';
import { probeAll, warmAll } from './readiness.js';
import { resultOf } from './result.js';
import { unlessAborted } from './until.js';

export interface ScriptToolboxOptions {
  /** With absolute paths. */
  readonly manifest: Manifest;
  /** Asked once, by the first call or by `warm`; the toolbox closes what it is given. */
  readonly engine: () => Promise<Engine>;
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
  /** Resolves when a call can pass through a warm process, rejects with the reason why it cannot. */
  probe(): Promise<void>;
}

/** Of more tools than that, an agent uses few. */
const mostPrepared = 100;

type Check = typeof import('../../manifest/check/check.js');

export function createScriptToolbox(options: ScriptToolboxOptions): ScriptToolbox {
  const { pythonFor, log = createLog({ level: 'silent' }), session = randomUUID() } = options;
  const ended = new AbortController();
  const pythons = new WeakMap<ManifestScript, Promise<ChosenPython | undefined>>();
  let contents = contentsOf(options.manifest);
  let making: Promise<Engine> | undefined;
  let checking: Promise<Check> | undefined;
  let closing: Promise<void> | undefined;

  return {
    get manifest() {
      return contents.manifest;
    },
    listTools: async () => contents.listed,
    run: async (name, args, callOptions) => runTool(contents, contents.toolNamed(name), args, callOptions),
    call,
    replace(manifest) {
      contents = contentsOf(manifest);
    },
    async warm() {
      await Promise.all([prepareChecks(), warmAll(contents, { engine, pythonOf, contentOf, log })]);
    },
    probe: () => probeAll(contents, { engine, pythonOf, contentOf, log }),
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

  async function runTool(
    held: Contents,
    tool: ManifestTool,
    args: JsonObject,
    { signal, onEvent, caller, session: named = session }: CallOptions = {},
  ): Promise<RunResult> {
    const { checkArguments } = await check();
    const checked = checkArguments(tool.inputSchema, args, { title: tool.name });
    const script = held.scriptOf(tool);
    const python = await unlessAborted(pythonOf(script), signal);
    const runOptions: RunOptions = { signal, onEvent, caller, session: named, python, content: contentOf(script) };
    const made = await unlessAborted(engine(), signal);
    const { run } = tool;
    if (run.kind === 'command') {
      return made.run({ path: run.script, ...commandOf(run.command, checked), media: true }, runOptions);
    }
    const prewarm = script.importEffects.length === 0;
    return made.call({ script: run.script, function: run.function, args, prewarm, media: true }, runOptions);
  }

  function logFailure(tool: string, { code, message, details }: ExecutionError): void {
    const { type, traceback, stdout, stderr, exitCode } = details;
    log.script.warn('call failed', { tool, code, message, type, traceback, stdout, stderr, exitCode });
  }

  /** One that could not be made is asked for again by the next call. */
  function engine(): Promise<Engine> {
    if (closing) return Promise.reject(engineClosed());
    if (making) return making;
    const asked = options.engine();
    making = asked;
    asked.catch(() => {
      if (making === asked) making = undefined;
    });
    return asked;
  }

  async function closeEngine(): Promise<void> {
    ended.abort();
    const made = await making?.catch(() => undefined);
    await made?.close();
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

function isScripts({ code, fault }: ExecutionError): boolean {
  return fault === 'script' || (fault === 'limit' && code !== 'CANCELLED');
}

/** What a model can do nothing about is answered as an error of the protocol. */
function isForProtocol({ code }: ExecutionError): boolean {
  return errorTable[code].mcp.outcome === 'error';
}
