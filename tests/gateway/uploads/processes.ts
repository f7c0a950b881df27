import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const built = join(root, 'node_modules', '.cache', 'mcp-execution', 'tests', 'uploads');

/** Compiles a program of ./programs so that a Node of its own can run it; gives its file. */
export function buildProgram(name: string): string {
  const file = join(built, `${name}.mjs`);
  const entry = join(import.meta.dirname, 'programs', `${name}.ts`);
  const options = ['--bundle', '--platform=node', '--format=esm', '--packages=external', `--outfile=${file}`];
  execFileSync(join(root, 'node_modules', '.bin', 'esbuild'), [entry, ...options], { stdio: 'pipe' });
  return file;
}

export interface Program {
  readonly pid: number;
  nextLine(): Promise<string>;
  kill(): Promise<void>;
}

/** Runs until it ends, is killed, or the test is over. */
export function startProgram(file: string, ...args: readonly string[]): Program {
  const child: ChildProcess = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!child.stdout || child.pid === undefined) throw new Error(`${file} cannot be started`);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  return {
    pid: child.pid,
    kill,
    async nextLine() {
      const { value } = await lines.next();
      return String(value);
    },
  };
}
