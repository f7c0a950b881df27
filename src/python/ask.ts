import { type ChildProcess, spawn } from 'node:child_process';
import * as z from 'zod';
import type { Command } from './candidates.js';

export const interpreterSchema = z.strictObject({
  /** The interpreter itself, behind any shim; in a virtual environment the one of that environment. */
  executable: z.string().min(1),
  version: z.string(),
  versionInfo: z.tuple([z.int(), z.int(), z.int()]).readonly(),
  prefix: z.string(),
  basePrefix: z.string(),
  cacheTag: z.string(),
  /** What compiled code of this interpreter begins with, in hexadecimal digits. */
  magic: z.string(),
  platform: z.string(),
  canFork: z.boolean(),
});
export type Interpreter = Readonly<z.output<typeof interpreterSchema>>;

export type Answer =
  | { readonly answered: true; readonly interpreter: Interpreter }
  | { readonly answered: false; readonly problem: string };

const mark = 'mcp-execution-interpreter:';
const maxAnswerBytes = 1024 * 1024;

/** Without double quotes, so that it passes through the command line of Windows as it stands. */
const question = `import sys, os, json, importlib.util; print(chr(10) + '${mark}' + json.dumps({${[
  `'executable': sys.executable`,
  `'version': '.'.join(map(str, sys.version_info[:3]))`,
  `'versionInfo': sys.version_info[:3]`,
  `'prefix': sys.prefix`,
  `'basePrefix': sys.base_prefix`,
  `'cacheTag': sys.implementation.cache_tag or ''`,
  `'magic': ''.join('%02x' % b for b in bytearray(importlib.util.MAGIC_NUMBER))`,
  `'platform': sys.platform`,
  `'canFork': hasattr(os, 'fork') and sys.platform == 'linux'`,
].join(', ')}}))`;

export async function askInterpreter(
  command: Command,
  environment: NodeJS.ProcessEnv,
  timeoutMs = 10_000,
): Promise<Answer> {
  const reply = await runBriefly(command, ['-I', '-c', question], environment, timeoutMs);
  if (reply.problem !== undefined) return { answered: false, problem: reply.problem };
  const line = reply.text.split(/\r?\n/).findLast((candidate) => candidate.startsWith(mark));
  const interpreter = line === undefined ? undefined : readInterpreter(line.slice(mark.length));
  if (interpreter !== undefined) return { answered: true, interpreter };
  return { answered: false, problem: await explainSilence(command, environment, timeoutMs) };
}

function readInterpreter(text: string): Interpreter | undefined {
  try {
    return interpreterSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** An interpreter from before `-I` cannot answer the question but can name its version. */
async function explainSilence(command: Command, environment: NodeJS.ProcessEnv, timeoutMs: number): Promise<string> {
  const { text } = await runBriefly(command, ['-V'], environment, timeoutMs);
  const version = /^Python (\d+\.\d+\.\d+)/m.exec(text)?.[1];
  if (version !== undefined) return tooOld(version);
  const said = /^\s*(\S.{0,199})/.exec(text)?.[1];
  return `found, but it did not answer as Python does${said === undefined ? '' : `; it said: ${said}`}`;
}

export function tooOld(version: string): string {
  return `Python ${version} is too old`;
}

interface Reply {
  readonly text: string;
  readonly problem?: string;
}

export function runBriefly(
  command: Command,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<Reply> {
  return new Promise((resolve) => {
    const child = start(command, args, environment);
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (problem?: string) => {
      clearTimeout(timer);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ text: Buffer.concat(chunks).toString('utf8'), problem });
    };
    const giveUp = (problem: string) => {
      endGroup(child.pid);
      finish(problem);
    };
    const keep = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxAnswerBytes) giveUp('found, but it flooded its output instead of answering');
    };
    const timer = setTimeout(() => giveUp(`found, but it did not answer within ${timeoutMs} ms`), timeoutMs);
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', (error) => finish(`found, but it could not be started: ${error.message}`));
    child.once('close', () => finish());
  });
}

/** Where no descriptors are left, a child comes without streams, and tells its error later. */
function start({ path, args: before }: Command, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const isBatchFile = /\.(bat|cmd)$/i.test(path);
  const words = isBatchFile ? [path, ...before, ...args].map((word) => `"${word}"`) : [path, ...before, ...args];
  const [file = path, ...rest] = words;
  return spawn(file, rest, {
    env,
    shell: isBatchFile,
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}
