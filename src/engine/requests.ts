import { dirname, resolve } from 'node:path';
import { CallerError } from '../errors.js';
import type { JsonObject } from '../toolbox.js';
import { metadataEnvironment } from './environment.js';
import { jsonProblem } from './json.js';
import type { FunctionCall, ScriptRun } from './work.js';

/** What a worker is asked to do. Checked here, at the border; Python trusts its form. */
export type Request =
  | {
      readonly kind: 'function';
      readonly script: string;
      readonly function: string;
      readonly args: JsonObject;
      readonly media?: boolean;
    }
  | {
      readonly kind: 'script';
      readonly path: string | null;
      readonly source: string | null;
      readonly filename: string;
      readonly argv: readonly string[];
      readonly stdin: string | null;
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | null;
      readonly context: JsonObject;
      readonly packages?: Readonly<Record<string, string>>;
      readonly media?: boolean;
      readonly code?: string;
      readonly function?: string | null;
      readonly validates?: true;
      /** Of one that validates: it tells where it is before its time is up. */
      readonly timeoutMs?: number;
    }
  | { readonly kind: 'compile'; readonly source: string; readonly filename: string; readonly validates?: true };

export function functionRequest(work: FunctionCall): Request & { kind: 'function' } {
  const { script, function: name, args = {} } = isPlainObject(work) ? work : ({} as FunctionCall);
  const path = checkedPath(script);
  if (!isText(name)) throw new CallerError('UNKNOWN_TOOL', 'A function must be named');
  if (!isPlainObject(args)) {
    throw new CallerError('INVALID_ARGUMENTS', 'The arguments must be an object with one entry per parameter');
  }
  const problem = jsonProblem(args, 'args');
  if (problem) throw new CallerError('INVALID_ARGUMENTS', `The arguments cannot be said in JSON: ${problem}`);
  return { kind: 'function', script: path, function: name, args, ...asking(work) };
}

export function checkedPath(script: unknown): string {
  if (!isText(script)) throw new CallerError('INVALID_SCRIPT', 'A script must be named');
  if (script.includes('\0') || Buffer.from(script).toString() !== script) {
    throw new CallerError('INVALID_SCRIPT', `${JSON.stringify(script)} is no path`);
  }
  return resolve(script);
}

/** The folder of the file that a request is about, where it is about one. */
export function folderOf(request: Request): string | undefined {
  const file = request.kind === 'function' ? request.script : request.kind === 'script' ? request.path : null;
  return file === null ? undefined : dirname(file);
}

export function scriptRequest(work: ScriptRun): Request & { kind: 'script' } {
  const { path, source, filename } = programOf(work);
  const { argv = [], stdin, env = {}, cwd, context = {}, packages } = work;
  checkTexts('argv', argv);
  checkEnvironment(env);
  if (packages !== undefined) checkPackages(packages);
  if (stdin !== undefined) checkUnicode('stdin', stdin);
  if (cwd !== undefined) checkText('cwd', cwd);
  return {
    kind: 'script',
    path,
    source,
    filename,
    argv,
    stdin: stdin ?? null,
    env: { ...metadataEnvironment(checkedContext(context)), ...env },
    cwd: cwd === undefined ? null : resolve(cwd),
    context,
    ...(packages && { packages }),
    ...asking(work),
  };
}

function asking({ media }: { readonly media?: boolean }): { readonly media?: true } {
  return media ? { media } : {};
}

function programOf(work: ScriptRun): { path: string | null; source: string | null; filename: string } {
  if (!isPlainObject(work)) throw noScript();
  if ('path' in work && isText(work.path)) {
    const path = checkedPath(work.path);
    return { path, source: null, filename: path };
  }
  if ('source' in work && typeof work.source === 'string') {
    const { source, filename = '<script>' } = work;
    checkText('filename', filename);
    return { path: null, source, filename };
  }
  throw noScript();
}

function noScript(): CallerError {
  return new CallerError('INVALID_SCRIPT', 'A script is given as the path of a file or as source text');
}

function checkedContext(context: unknown): JsonObject {
  if (!isPlainObject(context)) throw new CallerError('INVALID_CONTEXT', 'The context must be an object');
  const problem = jsonProblem(context, 'context');
  if (problem) throw new CallerError('INVALID_CONTEXT', `The context cannot be said in JSON: ${problem}`);
  return context as JsonObject;
}

function checkTexts(name: string, values: readonly unknown[]): void {
  if (!Array.isArray(values)) throw invalid(name, 'must be a list of texts');
  for (const value of values) checkText(name, value);
}

function checkEnvironment(env: unknown): void {
  if (!isPlainObject(env)) throw invalid('env', 'must be an object with a text for each name');
  for (const [key, value] of Object.entries(env as object)) {
    checkText('env', key);
    checkText('env', value);
    if (key === '' || key.includes('=')) throw invalid('env', `has ${JSON.stringify(key)}, which is no name`);
  }
}

function checkPackages(packages: unknown): void {
  if (!isPlainObject(packages)) throw invalid('packages', 'must be an object with a folder for each name');
  for (const folder of Object.values(packages as object)) checkText('packages', folder);
}

function checkText(name: string, value: unknown): void {
  checkUnicode(name, value);
  if (value.includes('\0')) throw invalid(name, 'has a NUL byte');
}

function checkUnicode(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalid(name, `has ${String(value)}, which is not text`);
  if (Buffer.from(value).toString() !== value) throw invalid(name, 'has an unpaired surrogate');
}

function invalid(name: string, reason: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${name} ${reason}`, { argument: name });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
