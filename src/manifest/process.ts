import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { HostError, LimitError } from '../errors.js';
import { type Log, reference } from '../log.js';
import { findPython } from '../python/interpreter.js';
import { pythonPart } from '../python/part.js';
import type { Discovered } from './found.js';
import { readReport } from './report.js';

export interface DiscoveryOptions {
  readonly python?: string;
  readonly cacheDir?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly log?: Log;
  /** Wall time that one script may take. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 60_000;
const scriptsForTwoProcesses = 65;
const maxComplaintLength = 4000;

/**
 * What CPython's parser sees in each script, in the order of the scripts. Nothing of them is executed, and nothing that stands
 * beside them: a `.venv` there may hold anything.
 */
export async function discoverScripts(
  scripts: readonly string[],
  options: DiscoveryOptions,
): Promise<readonly Discovered[]> {
  const { python, cacheDir, environment = process.env } = options;
  const { executable } = await findPython({ python, cacheDir, environment });
  const shares = scripts.length < scriptsForTwoProcesses ? [scripts] : [everyOther(scripts, 0), everyOther(scripts, 1)];
  const found = await allOrNone(
    shares,
    (share, signal) => discoverInTurn(share, executable, { ...options, signal }),
    options,
  );
  const byPath = new Map(found.flat().map((one) => ['error' in one ? one.path : one.script.path, one]));
  return scripts.flatMap((script) => byPath.get(script) ?? []);
}

/** Several processes at once; when one fails, the others end too. */
async function allOrNone<T, R>(
  items: readonly T[],
  work: (item: T, signal: AbortSignal) => Promise<R>,
  { signal }: DiscoveryOptions,
): Promise<readonly R[]> {
  const ending = new AbortController();
  const signals = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
  const working = items.map((item) => work(item, signals));
  try {
    return await Promise.all(working);
  } finally {
    ending.abort();
    await Promise.allSettled(working);
  }
}

/** A script that kills the parser costs itself and no other; a parser that never answers is no script's fault. */
async function discoverInTurn(
  scripts: readonly string[],
  executable: string,
  options: DiscoveryOptions,
): Promise<readonly Discovered[]> {
  const found: Discovered[] = [];
  let deathsInARow = 0;
  while (found.length < scripts.length) {
    const rest = scripts.slice(found.length);
    const { reports, failure } = await discoverUntilDeath(rest, executable, options);
    found.push(...reports);
    const victim = rest[reports.length];
    if (failure === undefined || victim === undefined) continue;
    deathsInARow = reports.length > 0 ? 1 : deathsInARow + 1;
    if (failure.code !== 'WIRE_BROKEN' || deathsInARow > 2) throw failure;
    found.push({ path: victim, error: failure });
  }
  return found;
}

interface Stretch {
  readonly reports: readonly Discovered[];
  /** Why the next script has no report. */
  readonly failure?: HostError;
}

async function discoverUntilDeath(
  scripts: readonly string[],
  executable: string,
  { environment = process.env, signal, log, timeoutMs = defaultTimeoutMs }: DiscoveryOptions,
): Promise<Stretch> {
  if (signal?.aborted) throw cancelled(signal);
  const args = ['-I', '-S', '-X', 'utf8', join(pythonPart(), 'start.py'), 'discover'];
  const child = spawn(executable, args, { env: environment, stdio: 'pipe', windowsHide: true });
  const ended = endOf(child);
  const stop = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', stop, { once: true });
  let complaint = '';
  let garbage: string | undefined;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, timeoutMs);
  const reports: Discovered[] = [];
  try {
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = `${complaint}${chunk}`.slice(-maxComplaintLength);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify({ scripts }));
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
      const script = scripts[reports.length];
      const report = script === undefined ? undefined : readReport(line, script);
      if (report === undefined) {
        garbage = line.slice(0, maxComplaintLength);
        break;
      }
      reports.push(report);
      timer.refresh();
    }
    // Everything was said: how the process ends does not matter any more.
    if (reports.length === scripts.length && garbage === undefined) return { reports };
    if (garbage !== undefined) stop();
    const ending = await ended;
    if (signal?.aborted) throw cancelled(signal);
    return { reports, failure: failureOf(ending, { script: scripts[reports.length], complaint, garbage, late }, log) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    stop();
    await ended;
  }
}

interface Ending {
  readonly error?: Error;
  readonly exitCode?: number | null;
  readonly exitSignal?: NodeJS.Signals | null;
}

function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (exitCode, exitSignal) => resolve({ exitCode, exitSignal }));
  });
}

interface Circumstances {
  readonly script: string | undefined;
  readonly complaint: string;
  readonly garbage: string | undefined;
  readonly late: boolean;
}

function failureOf(ending: Ending, { script, complaint, garbage, late }: Circumstances, log?: Log): HostError {
  const id = reference();
  log?.error('discovery failed', { reference: id, script, ...ending, complaint, garbage });
  const details = {
    reference: id,
    file: script,
    exitCode: ending.exitCode ?? undefined,
    signal: ending.exitSignal ?? undefined,
  };
  const options = { cause: ending.error ?? new Error(garbage ?? complaint) };
  if (ending.error !== undefined) {
    return new HostError(
      'SPAWN_FAILED',
      `Python could not be started for discovery (reference ${id})`,
      details,
      options,
    );
  }
  const what = late ? 'took too long' : garbage === undefined ? 'ended before it had answered' : 'answered nonsense';
  return new HostError('WIRE_BROKEN', `Discovery of ${script} ${what} (reference ${id})`, details, options);
}

function cancelled(signal: AbortSignal): LimitError {
  return new LimitError('CANCELLED', 'Discovery was cancelled', {}, { cause: signal.reason });
}

function everyOther<T>(items: readonly T[], first: 0 | 1): readonly T[] {
  return items.filter((_, index) => index % 2 === first);
}
