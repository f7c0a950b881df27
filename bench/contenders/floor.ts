import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../src/toolbox.js';
import type { Contender, Sizes } from './contender.js';

export interface FloorRequest {
  readonly request: JsonObject;
  check(answer: unknown): void;
}

/** One interpreter for all calls, with lines over pipes: as fast as it can be, and without isolation. */
export function createFloor(
  python: string,
  args: readonly string[],
  sizes: Sizes,
  nextRequest: () => FloorRequest,
): Contender {
  const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line));

  return {
    name: 'one process for all, no isolation (floor)',
    sizes,
    async call() {
      const { request, check } = nextRequest();
      child.stdin.write(`${JSON.stringify(request)}\n`);
      check(JSON.parse(await new Promise<string>((resolve) => waiting.push(resolve))));
    },
    ready: () => Promise.resolve(),
    rest: () => Promise.resolve(),
    async close() {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}
