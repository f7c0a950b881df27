import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEngine } from '../src/engine/engine.js';
import type { Engine } from '../src/engine/work.js';
import { pause } from './contenders/contender.js';
import { benchScript } from './workloads.js';

export interface Memory {
  readonly pythonProcesses: number;
  readonly pythonBytes: number;
  /** Of the processes that Node started, of those that these forked, and so on. */
  readonly bytesByLevel: readonly number[];
  readonly nodeResidentBytes: number;
  readonly nodeHeapBytes: number;
}

export interface Start {
  readonly firstResultMs: number;
  readonly newScriptMs: readonly number[];
  readonly newProcessMs: readonly number[];
}

type Launcher = 'fork' | 'warm';
type Profile = 'trusted' | 'strict';

const callsBeforeMeasuring = 1000;
const idleChildren = 8;
const repeats = 5;

/** Each in a Node process of its own, where nothing else has grown and nothing else runs. */
export const measureMemory = (script: 'trivial' | 'heavy', launcher: Launcher) =>
  runProbe<Memory>('memory', script, launcher);
export const measureStart = (launcher: Launcher, profile: Profile = 'trusted') =>
  runProbe<Start>('start', launcher, profile);

async function runProbe<T>(...probe: string[]): Promise<T> {
  const args = ['--expose-gc', process.argv[1] ?? '', ...probe.flatMap((part) => ['--probe', part])];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as T;
}

/** In the process that was started for it. */
export async function answerProbe([name, ...args]: readonly string[]): Promise<Memory | Start> {
  if (name === 'start') return probeStart(args[0] as Launcher, args[1] as Profile);
  return probeMemory(args[0] as 'trivial' | 'heavy', args[1] as Launcher);
}

async function probeMemory(script: 'trivial' | 'heavy', launcher: Launcher): Promise<Memory> {
  const before = await nodeMemory();
  const engine = createEngine({ launcher, idleChildren });
  const calls = launcher === 'warm' ? callsBeforeMeasuring / 20 : callsBeforeMeasuring;
  for (let done = 0; done < calls; done += idleChildren) {
    await Promise.all(Array.from({ length: idleChildren }, () => callAdd(engine, benchScript(script))));
  }
  await untilIdle(engine, idleChildren);
  const after = await nodeMemory();
  const levels = levelsBelow([process.pid]);
  const bytesByLevel = levels.map((pids) => total(pids.map(proportionalBytes)));
  const memory = {
    pythonProcesses: levels.flat().length,
    pythonBytes: total(bytesByLevel),
    bytesByLevel,
    nodeResidentBytes: after.rss - before.rss,
    nodeHeapBytes: after.heapUsed + after.external - before.heapUsed - before.external,
  };
  await engine.close();
  return memory;
}

async function probeStart(launcher: Launcher, profile: Profile): Promise<Start> {
  const startedAt = performance.now();
  const engine = createEngine({ launcher, profile, idleChildren: 1 });
  await callAdd(engine, benchScript('trivial'));
  const firstResultMs = performance.now() - startedAt;
  const newScriptMs = await timesOfNewScripts(engine);
  const newProcessMs = await timesOfNewProcesses(engine);
  await engine.close();
  return { firstResultMs, newScriptMs, newProcessMs };
}

/** From the call of a script that the engine has never seen to its result. */
async function timesOfNewScripts(engine: Engine): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-execution-bench-'));
  const times: number[] = [];
  for (let index = 0; index < repeats; index++) {
    const script = join(folder, `new_${index}.py`);
    writeFileSync(script, readFileSync(benchScript('trivial')));
    await pause(20);
    const startedAt = performance.now();
    await callAdd(engine, script);
    times.push(performance.now() - startedAt);
  }
  rmSync(folder, { recursive: true });
  return times;
}

/** With one process ready, the second of two calls waits until another was started: its time in the queue. */
async function timesOfNewProcesses(engine: Engine): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < repeats; index++) {
    await untilIdle(engine, 1);
    const [, second] = await Promise.all([0, 1].map(() => callAdd(engine, benchScript('trivial'))));
    if (second) times.push(second.figures.queueMs);
  }
  return times;
}

function callAdd(engine: Engine, script: string) {
  return engine.call({ script, function: 'add', args: { a: 1, b: 2 } });
}

async function untilIdle(engine: Engine, wanted: number): Promise<void> {
  const idle = () => engine.status().scripts.find(({ script }) => /(trivial|heavy)\.py$/.test(script))?.idle ?? 0;
  for (let tries = 0; idle() < wanted && tries < 500; tries++) await pause(10);
  await pause(50);
}

async function nodeMemory(): Promise<NodeJS.MemoryUsage> {
  for (let times = 0; times < 5; times++) {
    globalThis.gc?.();
    await pause(20);
  }
  return process.memoryUsage();
}

/** The children, their children, and so on. */
function levelsBelow(parents: readonly number[]): number[][] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = pids.filter((pid) => parents.includes(parentOf(pid) ?? -1)).map(Number);
  return children.length === 0 ? [] : [children, ...levelsBelow(children)];
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

/** What is shared with others is counted in parts. */
function proportionalBytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
