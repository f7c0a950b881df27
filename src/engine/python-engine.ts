import type { SettingsInput } from '../config.js';
import { CallerError } from '../errors.js';
import { cacheFolder } from '../python/cache-folder.js';
import type { Interpreter } from '../python/interpreter.js';
import type { JsonObject, JsonValue } from '../toolbox.js';
import { type CompiledCache, compiledKey, createCompiledCache } from './compiled.js';
import { createInnerEngine, type EngineParts, type InnerEngine } from './engine.js';
import { environmentOf } from './environment.js';
import { scriptRequest } from './requests.js';
import { profileOf } from './sandbox.js';
import type { RunOptions, RunResult } from './work.js';

/** What a script is told of the MCP exchange it is about. */
export interface ScriptContext {
  readonly request?: JsonValue;
  readonly response?: JsonValue;
  readonly metadata?: JsonObject;
  readonly [name: string]: JsonValue | undefined;
}

/** A script compiled once, to be run many times. */
export interface PythonScript {
  readonly source: string;
  readonly functionName?: string;
  /** Compiled code, for the interpreter that `interpreter` names and no other. */
  readonly code: string;
  readonly interpreter: string;
  readonly fromCache: boolean;
  /** What errors call it. */
  readonly filename?: string;
  readonly validates?: true;
}

export interface PrecompileOptions {
  readonly filename?: string;
  /** The script judges an answer of an MCP server: it has the names of mcp_execution.validation, and gives back what it found. */
  readonly validates?: true;
}

const filenameUnlessSaid = '<script>';

/** Whole scripts with a context, each in a process of its own. */
export class PythonEngine {
  readonly #engine: InnerEngine;
  readonly #optimisation: string | undefined;
  #cache: Promise<CompiledCache> | undefined;

  constructor(settings: SettingsInput = {}, parts?: EngineParts) {
    this.#engine = createInnerEngine(settings, parts);
    const { settings: checked } = this.#engine;
    this.#optimisation = environmentOf(profileOf(checked), checked.allowEnv).PYTHONOPTIMIZE;
  }

  async executeScript(source: string, context: ScriptContext = {}, options?: RunOptions): Promise<RunResult> {
    return this.#engine.execute(scriptRequest({ source, context: plain(context) }), undefined, options);
  }

  /** With a function's name, that function is called with the context and its result is the value. */
  async precompileScript(
    source: string,
    functionName?: string,
    { filename = filenameUnlessSaid, validates }: PrecompileOptions = {},
  ): Promise<PythonScript> {
    const { interpreter } = await this.#engine.pools.get();
    const identity = this.#identityOf(interpreter);
    const key = compiledKey(
      identity,
      filename,
      checkSource(source),
      ...(validates ? ['validates: no assertion is hollow, and each tells its sides'] : []),
    );
    const cache = await this.#compiled();
    const cached = await cache.load(key);
    const code = cached?.toString('base64') ?? (await this.#compile(source, filename, validates));
    if (!cached) await cache.store(key, Buffer.from(code, 'base64'));
    const fromCache = cached !== undefined;
    return { source, functionName, code, interpreter: identity, fromCache, filename, ...(validates && { validates }) };
  }

  async executePrecompiled(
    script: PythonScript,
    context: ScriptContext = {},
    options?: RunOptions,
  ): Promise<RunResult> {
    const { interpreter } = await this.#engine.pools.get();
    const fits = script.interpreter === this.#identityOf(interpreter);
    const {
      source,
      functionName,
      code,
      filename = filenameUnlessSaid,
      validates,
    } = fits ? script : await this.precompileScript(script.source, script.functionName, script);
    const request = {
      ...scriptRequest({ source, filename, context: plain(context) }),
      code,
      function: functionName ?? null,
      ...(validates && { validates, timeoutMs: this.#engine.settings.timeoutMs }),
    };
    return this.#engine.execute(request, undefined, options);
  }

  /** Readies a process for the next script. */
  warm(): Promise<void> {
    return this.#engine.warm();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async #compile(source: string, filename: string, validates?: true): Promise<string> {
    const request = { kind: 'compile', source, filename, ...(validates && { validates }) } as const;
    const { value } = await this.#engine.execute(request, undefined);
    return String(value);
  }

  /** All that decides what a source compiles to; with PYTHONOPTIMIZE there are no assertions. */
  #identityOf({ cacheTag, magic }: Interpreter): string {
    return [cacheTag, magic, ...(this.#optimisation ? [`O${this.#optimisation}`] : [])].join('-');
  }

  #compiled(): Promise<CompiledCache> {
    this.#cache ??= cacheFolder({ cacheDir: this.#engine.settings.cacheDir }).then(createCompiledCache);
    return this.#cache;
  }
}

function plain(context: ScriptContext): JsonObject {
  return context as JsonObject;
}

function checkSource(source: unknown): string {
  if (typeof source === 'string') return source;
  throw new CallerError('INVALID_SCRIPT', 'The script must be given as text');
}
