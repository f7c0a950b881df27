import { spawn } from 'node:child_process';
import type { Contender, Sizes } from './contender.js';

export interface FreshRun {
  readonly args: readonly string[];
  readonly input: string;
  check(output: string): void;
}

/** An interpreter started for each call. */
export function createFresh(python: string, sizes: Sizes, nextRun: () => FreshRun): Contender {
  return {
    name: 'fresh interpreter per call',
    sizes,
    async call() {
      const { args, input, check } = nextRun();
      check(await outputOf(python, args, input));
    },
    ready: () => Promise.resolve(),
    rest: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function outputOf(python: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`Python ended with ${code}`))));
    child.stdin.end(input);
  });
}
