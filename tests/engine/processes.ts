import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Engine } from '../../src/engine/work.js';
import { ExecutionError } from '../../src/errors.js';
import { fixture } from './harness.js';

/** Whether a process runs; one that is dead and not yet waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
}

export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
    .filter((child) => child !== '')
    .map(Number)
    .filter(isAlive);
}

/** For what the system brings about and nobody tells of. */
export async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5, timeout: 10_000 }).toBe(true);
}

export interface ToldProcess {
  readonly pid: number;
  readonly parent: number;
  readonly calls: number;
}

/** What a call says of the process that serves it. */
export async function tellProcess(
  engine: Engine,
  options: Parameters<Engine['call']>[1] = {},
  script = 'tells_its_process.py',
): Promise<ToldProcess> {
  const { value } = await engine.call({ script: fixture(script), function: 'tell' }, options);
  return value as unknown as ToldProcess;
}

/** What a run comes to, without its figures, so that outcomes can be compared. */
export async function outcomeOf(call: Promise<{ value: unknown }>): Promise<unknown> {
  try {
    return (await call).value;
  } catch (error) {
    return error instanceof ExecutionError ? error.code : error;
  }
}
