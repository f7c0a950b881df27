import { once } from 'node:events';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { pythonPart } from '../../python/part.js';
import { isJsonObject } from '../../toolbox.js';
import type { GuardAhead } from './guard-ahead.js';
import { createLineCutter } from './lines.js';
import type { Command, ProcessEnd, ProcessLimits, ServerProcess } from './process.js';
import { codeOf, neverStarted, type Spawned, signalGroup, spawnInGroup } from './spawn.js';

const longestReport = 64 * 1024;
const killConfirmMs = 2000;

/** What the guard says on its control pipe. */
interface Reports {
  started?: number;
  end?: ProcessEnd;
}

/**
 * A command under a small parent of ours, which takes the command's whole tree with it: also what left its group, and also
 * when this process is killed.
 */
export function startGuarded(
  command: Command,
  python: string,
  { ahead, ...limits }: ProcessLimits & { readonly ahead?: GuardAhead },
): ServerProcess {
  const spawned = ahead?.take() ?? spawnGuard(python);
  if (!spawned.isRunning) return neverStarted(guardProblem(spawned.problem));
  const { child } = spawned;
  const { stdin, stdout, stderr } = child;
  const control = child.stdio[3];
  if (!stdin || !stdout || !stderr || !(control instanceof Duplex)) return neverStarted('EMFILE');

  const reports: Reports = {};
  const controlClosed = readReports(control, reports);
  const known = Promise.race([once(control, 'data'), controlClosed]);
  known.catch(() => {});
  const { memoryBytes, maxProcessesInTree: maxProcesses } = limits;
  say(`${JSON.stringify({ ...command, memoryBytes, maxProcesses })}\n`);

  let isGone = false;
  const gone = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', async (_code, signal) => {
      await controlClosed;
      isGone = true;
      if (!reports.end) signalGroup(reports.started, 'SIGKILL');
      resolve(reports.end ?? endWithoutReport(reports, signal));
    });
    child.once('error', (error) => {
      isGone = true;
      resolve({ exitCode: null, signal: null, problem: guardProblem(codeOf(error)) });
    });
  });
  return {
    stdin,
    stdout,
    stderr,
    get pid() {
      return reports.started;
    },
    known,
    reaper: child.pid,
    gone,
    terminate: () => say('T'),
    kill() {
      say('K');
      setTimeout(() => {
        if (!isGone) signalGroup(child.pid, 'SIGKILL');
      }, killConfirmMs).unref();
    },
  };

  function say(text: string): void {
    if (control instanceof Duplex && control.writable) control.write(text);
  }
}

/** It waits for what to run. */
export function spawnGuard(python: string): Spawned {
  return spawnInGroup(python, ['-I', '-X', 'utf8', join(pythonPart(), 'start.py'), 'command'], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
}

/** The guard was killed, or is no Python that can run it. */
function endWithoutReport({ started }: Reports, signal: string | null): ProcessEnd {
  if (started === undefined && signal === null) return { exitCode: null, signal: null, problem: 'no guard' };
  return { exitCode: null, signal: signal ?? 'SIGKILL' };
}

/** What is wrong with the interpreter must not look as if it were wrong with the command. */
function guardProblem(code: string): string {
  return code === 'ENOENT' || code === 'EACCES' ? 'no guard' : code;
}

function readReports(control: Duplex, reports: Reports): Promise<void> {
  const cutter = createLineCutter(
    longestReport,
    (line) => note(line.toString(), reports),
    () => control.destroy(),
  );
  control.on('data', (chunk: Buffer) => cutter.push(chunk));
  control.on('error', () => {});
  return new Promise((resolve) => control.once('close', resolve));
}

function note(line: string, reports: Reports): void {
  const report: unknown = JSON.parse(line);
  if (!isJsonObject(report)) return;
  const { started, problem, exitCode, signal, limit } = report;
  if (typeof started === 'number') reports.started = started;
  else if (typeof problem === 'string') reports.end = { exitCode: null, signal: null, problem };
  else {
    reports.end = {
      exitCode: typeof exitCode === 'number' ? exitCode : null,
      signal: typeof signal === 'string' ? signal : null,
      ...((limit === 'memory' || limit === 'processes') && { limit }),
    };
  }
}
