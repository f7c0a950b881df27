import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { HostError, LimitError } from '../errors.js';

export interface RunOptions {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
}

const linesKept = 15;

/** Runs an installer to its end, every line of it told as it comes; when cancelled, it ends with all that it started. */
export async function runInstaller(executable: string, args: readonly string[], options: RunOptions): Promise<void> {
  const { folder, environment, onProgress, signal } = options;
  if (signal?.aborted) throw cancelled(signal);
  const onWindows = process.platform === 'win32';
  const child = spawn(executable, args, {
    cwd: folder,
    env: environment,
    detached: !onWindows,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => endTree(child.pid);
  signal?.addEventListener('abort', stop, { once: true });
  const last: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      if (line.trim() === '') return;
      last.push(line);
      if (last.length > linesKept) last.shift();
      onProgress?.(line);
    });
  }
  try {
    const failure = await new Promise<string | undefined>((resolve) => {
      child.once('error', (error) => resolve(`could not be started: ${error.message}`));
      child.once('close', (code, by) => resolve(code === 0 ? undefined : `ended with ${by ?? `code ${code}`}`));
    });
    if (signal?.aborted) throw cancelled(signal);
    if (failure !== undefined) throw installerFailed([executable, ...args].join(' '), failure, last);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

export function cancelled(signal: AbortSignal): LimitError {
  return new LimitError('CANCELLED', 'Installing packages was cancelled', {}, { cause: signal.reason });
}

function installerFailed(command: string, failure: string, last: readonly string[]): HostError {
  const said = last.length === 0 ? '' : `:\n${last.map((line) => `  ${line}`).join('\n')}`;
  const advice = adviceOn(last.join('\n'));
  const message = `The installer ${failure}${said}\n${advice === undefined ? '' : `${advice}\n`}It was: ${command}`;
  return new HostError('DEPENDENCIES_FAILED', message, { stderr: last.join('\n') });
}

const causes: readonly (readonly [RegExp, string])[] = [
  [
    /ensurepip|python3-venv/,
    'This Python cannot make environments: install the package python3-venv of your system, or uv.',
  ],
  [
    /no wheels?|only-binary|--no-build|no usable wheels|requires building|building source distributions is disabled/i,
    'A package has no wheel for this Python. Allow its code to run with --install-packages builds, or take another Python with --python.',
  ],
  [
    /no matching distribution|no solution found|not found in the package registry/i,
    'A package does not exist in that version, or has no wheel for this Python; --install-packages builds also takes packages that have to be built.',
  ],
  [
    /connection|resolve host|name resolution|network|timed out|dns error/i,
    'The package index cannot be reached from here.',
  ],
  [/no space left/i, 'The disk is full.'],
];

function adviceOn(said: string): string | undefined {
  return causes.find(([pattern]) => pattern.test(said))?.[1];
}

/** The installer leads a process group on POSIX systems; Windows follows the tree by itself. */
function endTree(pid: number | undefined): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => undefined,
    );
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}
