import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Contender, checkAnswer, sizes } from './contenders/contender.js';
import { type Command, createMcpContender, timeToTools } from './contenders/mcp.js';
import { median } from './figures.js';

/** The names by which targets find their contender. */
export const servedCall = 'mcp-exec serve, a process per call';
export const fastmcp = 'FastMCP, in its own process';

const script = resolve('bench', 'python', 'toolkit.py');
const toolsOfScript = 6;
const command = resolve('dist', 'bin', 'mcp-exec.js');
const peer = process.env.BENCH_FASTMCP_PYTHON;

function serve(name: string, flags: readonly string[] = [], environment: NodeJS.ProcessEnv = {}): Command {
  return { name, file: process.execPath, args: [command, 'serve', script, ...flags], environment };
}

function peerServer(): Command[] {
  return peer === undefined
    ? []
    : [{ name: fastmcp, file: peer, args: [resolve('bench', 'python', 'fastmcp_server.py')] }];
}

/** Warm calls over stdio, the peer first. */
export async function stdioContenders(): Promise<Contender[]> {
  let calls = 0;
  const nextCall = () => {
    const a = ++calls;
    return {
      tool: 'add',
      args: { a, b: 1 },
      check: (result: object) =>
        checkAnswer((result as { structuredContent?: { result?: unknown } }).structuredContent?.result, a + 1),
    };
  };
  const commands = [
    ...peerServer(),
    serve(servedCall),
    serve('mcp-exec serve, strict', ['--profile', 'strict']),
    serve('mcp-exec serve, one shared process', ['--isolation', 'shared']),
  ];
  const made: Contender[] = [];
  for (const each of commands) made.push(await createMcpContender(each, sizes.forked, nextCall));
  return made;
}

export interface Listings {
  readonly bareNodeMs: readonly number[];
  readonly knownMs: readonly number[];
  readonly unseenMs: readonly number[];
  readonly peerMs: readonly number[];
}

/** From process start to the answer of tools/list, all in turns. */
export async function measureListings(rounds: number): Promise<Listings> {
  const cache = mkdtempSync(join(tmpdir(), 'bench-'));
  const known = serve('known', [], { MCP_EXECUTION_CACHE_DIR: cache });
  const found = {
    bareNodeMs: [] as number[],
    knownMs: [] as number[],
    unseenMs: [] as number[],
    peerMs: [] as number[],
  };
  try {
    await timeToTools(known, toolsOfScript);
    for (let round = 0; round < rounds; round++) {
      found.bareNodeMs.push(await timeOfBareNode());
      found.knownMs.push(await timeToTools(known, toolsOfScript));
      const empty = join(cache, `unseen-${round}`);
      found.unseenMs.push(await timeToTools(serve('unseen', [], { MCP_EXECUTION_CACHE_DIR: empty }), toolsOfScript));
      for (const each of peerServer()) found.peerMs.push(await timeToTools(each, toolsOfScript));
    }
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
  return found;
}

export async function timeOfBareNode(): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close');
  return performance.now() - startedAt;
}

export function ratioOf(above: readonly number[], below: readonly number[]): number {
  return median(above.flatMap((value, round) => (below[round] === undefined ? [] : [value / below[round]])));
}
