import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { timeOfBareNode } from './serving.js';

export interface HarnessFigures {
  /** Cases per second of a suite of 500 cases, each with a validator. */
  readonly casesPerSecond: readonly number[];
  /** The same cases without validators. */
  readonly plainPerSecond: readonly number[];
  /** From the start of the command to the first call that the server hears. */
  readonly firstCaseMs: readonly number[];
  readonly bareNodeMs: readonly number[];
}

const caseCount = 500;
const parallel = 8;

/** What the harness costs: cases with a Python validator each against a server on stdio, and the time to the first one. */
export async function measureHarness(rounds: number): Promise<HarnessFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const heard = join(folder, 'heard');
  try {
    const validated = writeSuite(folder, 'validated', heard, { withValidators: true });
    const plain = writeSuite(folder, 'plain', heard, { withValidators: false });
    const casesPerSecond: number[] = [];
    const plainPerSecond: number[] = [];
    const firstCaseMs: number[] = [];
    const bareNodeMs: number[] = [];
    for (let round = -1; round < rounds; round++) {
      const run = await runSuite(validated, folder, heard);
      const without = await runSuite(plain, folder, heard);
      const bare = await timeOfBareNode();
      if (round < 0) continue;
      casesPerSecond.push(run.perSecond);
      plainPerSecond.push(without.perSecond);
      firstCaseMs.push(run.firstCaseMs);
      bareNodeMs.push(bare);
    }
    return { casesPerSecond, plainPerSecond, firstCaseMs, bareNodeMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeSuite(
  folder: string,
  name: string,
  heard: string,
  { withValidators }: { withValidators: boolean },
): string {
  const cases = Array.from({ length: caseCount }, (_, number) => ({
    name: `adds ${number}`,
    tool: 'add',
    arguments: { a: number, b: 1 },
    expect: { text: String(number + 1) },
    ...(withValidators && {
      validate: `assert int(text()) == context["request"]["params"]["arguments"]["a"] + 1`,
    }),
  }));
  const server = {
    command: process.execPath,
    args: [resolve('bench', 'servers', 'stdio.mjs')],
    env: { BENCH_HEARD: heard },
  };
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, stringify({ version: 1, server, parallel, cases }));
  return file;
}

async function runSuite(
  suite: string,
  folder: string,
  heard: string,
): Promise<{ perSecond: number; firstCaseMs: number }> {
  rmSync(heard, { force: true });
  const out = join(folder, 'report.json');
  const startedAt = Date.now();
  const child = spawn(process.execPath, [resolve('dist', 'bin', 'mcp-exec.js'), 'test', suite, '--json', out], {
    stdio: 'ignore',
  });
  const exitCode = await new Promise((end) => child.once('exit', end));
  const report = JSON.parse(readFileSync(out, 'utf8'));
  if (exitCode !== 0 || report.totals.passed !== caseCount)
    throw new Error(`The suite failed: ${JSON.stringify(report.totals)}`);
  const firstCaseAt = Number(readFileSync(heard, 'utf8'));
  const over = startedAtOf(report) + report.durationMs;
  return { perSecond: (caseCount * 1000) / (over - firstCaseAt), firstCaseMs: firstCaseAt - startedAt };
}

function startedAtOf({ startedAt }: { readonly startedAt: string }): number {
  return Date.parse(startedAt);
}
