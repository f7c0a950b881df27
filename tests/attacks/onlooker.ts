import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findPython } from '../../src/python/interpreter.js';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';

/** A Python process of the host's own, outside of every engine, that answers in lines of JSON. */
export interface HostProcess {
  readonly pid: number;
  /** What it said of itself when it began. */
  readonly about: JsonObject;
  ask(request: JsonObject): Promise<JsonValue>;
  close(): Promise<void>;
}

export async function startHostProcess(program: string, ...args: string[]): Promise<HostProcess> {
  const { executable } = await findPython();
  const path = join(dirname(fileURLToPath(import.meta.url)), 'host', program);
  const child = spawn(executable, ['-B', path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {},
    detached: true,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<JsonValue> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${program} has ended`);
    return JSON.parse(value) as JsonValue;
  };
  const about = (await next()) as JsonObject;
  return {
    pid: child.pid ?? 0,
    about,
    ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      return next();
    },
    close: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
