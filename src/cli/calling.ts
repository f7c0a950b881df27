import { statSync } from 'node:fs';
import type { Settings } from '../config.js';
import type { Engine, RunOptions, RunResult } from '../engine/work.js';
import { createError, ExecutionError } from '../errors.js';
import type { Manifest, ManifestScript, ManifestTool } from '../manifest/manifest.js';
import { isManifest } from '../manifest/targets.js';
import { pythonFor } from '../services/python-for.js';
import type { JsonObject, JsonSchema } from '../toolbox.js';
import { createLive } from './live.js';
import { createLogFor } from './log-file.js';
import type { Terminal } from './terminal.js';

export interface Asked {
  readonly target: string;
  readonly name: string;
  /** The arguments, read with what is known of the tool's parameters. */
  readonly argumentsFor: (inputSchema?: JsonSchema) => Promise<JsonObject>;
  readonly asJson: boolean;
}

export interface Called {
  readonly result: RunResult;
  /** What the script printed was the data, and went to stdout as it came. */
  readonly isPrinted: boolean;
}

/** Calls a tool of a script, a folder or a manifest; of one script, also a function that is no tool. */
export async function callTarget(asked: Asked, settings: Settings, terminal: Terminal): Promise<Called> {
  const { target, name, argumentsFor, asJson } = asked;
  const isOneScript = !isManifest(target) && !isFolder(target);
  const manifest = await manifestOf(target, isOneScript, settings, terminal);
  const tool = manifest && toolNamed(name, manifest, isOneScript);
  const args = await argumentsFor(tool?.inputSchema);
  const isPrinted = tool?.run.kind === 'command' && !asJson;
  const live = createLive(terminal, isPrinted);
  const options = { signal: terminal.interrupt, onEvent: live.onEvent };
  const installing = {
    environment: terminal.environment,
    signal: terminal.interrupt,
    onProgress: (line: string) => terminal.note(`${line}\n`),
  };
  const chosenPython = (script: ManifestScript) => pythonFor(script, settings, installing);
  let making: Promise<Engine> | undefined;
  const engine = () => {
    making ??= terminal.createEngine(settings);
    return making;
  };
  try {
    if (manifest && (tool || !isOneScript)) {
      const { createScriptToolbox } = await import('../engine/toolbox/toolbox.js');
      const toolbox = createScriptToolbox({ manifest: having(tool, manifest), engine, pythonFor: chosenPython });
      return { result: await toolbox.run(tool?.name ?? name, args, options), isPrinted };
    }
    const [script] = manifest?.scripts ?? [];
    const python = script && (await chosenPython(script));
    const result = await callFunction(
      await engine(),
      asked,
      args,
      { ...options, ...(python ? { python } : {}) },
      manifest,
    );
    return { result, isPrinted };
  } catch (error) {
    throw tool?.run.kind === 'command' ? withoutTraceOfExit(error) : error;
  } finally {
    live.end();
    await (await making)?.close();
  }
}

/** Of one script that cannot be discovered, the engine says what is wrong with it. */
async function manifestOf(
  target: string,
  isOneScript: boolean,
  settings: Settings,
  { environment, interrupt: signal }: Terminal,
): Promise<Manifest | undefined> {
  const { python, cacheDir } = settings;
  const { explore } = await import('../manifest/explore.js');
  try {
    const { manifest, problems } = await explore([target], {
      python,
      cacheDir,
      environment,
      signal,
      log: createLogFor(settings),
    });
    const [problem] = problems;
    if (problem && manifest.tools.length === 0) throw problem.error;
    return manifest;
  } catch (error) {
    const isEngines = isOneScript && error instanceof ExecutionError && error.code !== 'CANCELLED';
    if (isEngines) return undefined;
    throw error;
  }
}

/** A person who names what is not enabled in a script means it; a function that is no tool is called as it is. */
function toolNamed(name: string, { tools }: Manifest, isOneScript: boolean): ManifestTool | undefined {
  const byName = tools.find((tool) => tool.name === name);
  if (!isOneScript) return byName?.enabled ? byName : undefined;
  return byName ?? tools.find(({ run }) => run.kind === 'function' && run.function === name);
}

function having(tool: ManifestTool | undefined, manifest: Manifest): Manifest {
  if (!tool || tool.enabled) return manifest;
  return { ...manifest, tools: manifest.tools.map((one) => (one === tool ? { ...tool, enabled: true } : one)) };
}

async function callFunction(
  engine: Engine,
  { target, name }: Asked,
  args: JsonObject,
  options: RunOptions,
  manifest: Manifest | undefined,
): Promise<RunResult> {
  try {
    return await engine.call({ script: target, function: name, args }, options);
  } catch (error) {
    const commands = manifest?.tools.filter(({ run }) => run.kind === 'command').map((tool) => tool.name) ?? [];
    if (!(error instanceof ExecutionError) || error.code !== 'UNKNOWN_TOOL' || commands.length === 0) throw error;
    const message = `${error.message}; its command line is called by the name ${commands.join(' or ')}`;
    throw createError(error.code, message, error.details);
  }
}

/** How a command line came to its exit code is no concern of its caller. */
function withoutTraceOfExit(error: unknown): unknown {
  if (!(error instanceof ExecutionError) || error.details.type !== 'SystemExit') return error;
  const { traceback: _traceback, ...details } = error.details;
  return createError(error.code, error.message, details, { cause: error });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
