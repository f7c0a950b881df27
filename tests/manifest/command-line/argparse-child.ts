import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CommandLine, ManifestTool } from '../../../src/manifest/manifest.js';
import { findPython } from '../../../src/python/interpreter.js';
import type { JsonObject } from '../../../src/toolbox.js';

export interface ArgparseChild {
  command(tool: string): CommandLine;
  /** What argparse makes of the words that differs from the arguments; empty where nothing does. */
  difference(tool: string, args: JsonObject, argv: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** One interpreter with the parser of a fixture, for as many command lines as a test has. */
export async function createArgparseChild(fixture: string): Promise<ArgparseChild> {
  const { executable } = await findPython();
  const child = spawn(executable, ['-X', 'utf8', join(import.meta.dirname, 'argparse_child.py'), fixture], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? '"the child ended"');
  const tools = (await answer()) as ManifestTool[];
  return {
    command(name) {
      const run = tools.find((tool) => tool.name === name)?.run;
      if (run?.kind !== 'command') throw new Error(`no command ${name}`);
      return run.command;
    },
    async difference(tool, args, argv) {
      child.stdin.write(`${JSON.stringify([tool, args, argv])}\n`);
      return String(await answer());
    },
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}
