import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SettingsInput } from '../../src/config.js';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine } from '../../src/engine/work.js';
import { folderWith, processesLeft } from '../engine/harness.js';
import { descendants, openDescriptors, residentBytes } from './processes.js';
import { longMs, longScript, runMany, say, scaled } from './scale.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const megabyte = 1024 * 1024;
const idleChildren = 8;
const lanesPerChild = 3;
const script = longScript('add.py');
const strict = { profile: 'strict', allowEnv: ['MCP_EXECUTION_TEST_MARK'] } as const;

/** What must not grow, read when no call runs and the ready processes stand. */
interface Mark {
  readonly calls: number;
  readonly heapBytes: number;
  readonly nodeBytes: number;
  readonly nodeDescriptors: number;
  readonly templates: readonly PythonMark[];
  readonly zygotes: readonly PythonMark[];
  readonly children: number;
}

interface PythonMark {
  readonly pid: number;
  readonly bytes: number;
  readonly descriptors: number;
}

describe('calls in a row leave memory, descriptors and processes as they were', () => {
  it(
    '50,000 by one warm process of the script',
    async () => {
      const marks = await soak(50_000, { recycleAfterCalls: 1_000_000, recycleGrowthBytes: 1024 * megabyte });
      expectFlat(marks);
      const [first, last] = ends(marks);
      expect(last.zygotes.map(({ pid }) => pid)).toEqual(first.zygotes.map(({ pid }) => pid));
      expect(grown(first.zygotes, last.zygotes)).toBeLessThan(2 * megabyte);
    },
    longMs,
  );

  it(
    '25,000 with the warm process replaced after every 10,000',
    async () => {
      const marks = await soak(25_000, {});
      expectFlat(marks);
      const zygotes = new Set(marks.flatMap((mark) => mark.zygotes.map(({ pid }) => pid)));
      expect(zygotes.size).toBe(Math.ceil(scaled(25_000) / 10_000));
    },
    longMs,
  );
});

describe('strict calls in a row leave no process, no scratch folder and no growth', () => {
  it.each([
    ['with namespaces', {}],
    ['without namespaces', { namespaces: 'off' }],
  ] as const)(
    '10,000 %s, a fourth of which leave files behind',
    async (_, settings) => {
      const temporary = folderWith({});
      vi.stubEnv('TMPDIR', temporary);
      onTestFinished(() => void vi.unstubAllEnvs());
      const marks = await soak(10_000, { ...strict, ...settings, recycleAfterCalls: 1_000_000 }, 'add_and_leave');
      expectFlat(marks);
      const [first, last] = ends(marks);
      expect(last.zygotes.map(({ pid }) => pid)).toEqual(first.zygotes.map(({ pid }) => pid));
      expect(grown(first.zygotes, last.zygotes)).toBeLessThan(2 * megabyte);
      expect(readdirSync(temporary)).toEqual([]);
    },
    longMs,
  );
});

/** Marks after the first fifth and after each further one. */
async function soak(calls: number, settings: SettingsInput, name = 'add'): Promise<Mark[]> {
  const engine = createEngine({ launcher: 'fork', idleChildren, idleMs: longMs, ...settings });
  const marks: Mark[] = [];
  let done = 0;
  for (let fifth = 0; fifth < 5; fifth++) {
    await runMany(scaled(calls / 5), 8, async () => {
      const number = done++;
      const { value } = await engine.call({ script, function: name, args: { a: number, b: 1 } });
      if (value !== number + 1) expect.fail(`call ${number} came back with ${JSON.stringify(value)}`);
    });
    marks.push(await markOf(engine, done));
    say(describeMark(marks.at(-1)));
  }
  await engine.close();
  expect(processesLeft()).toEqual([]);
  return marks;
}

function expectFlat(marks: readonly Mark[]): void {
  const [first, last] = ends(marks);
  expect(last.heapBytes - first.heapBytes).toBeLessThan(2 * megabyte);
  expect(last.nodeBytes - first.nodeBytes).toBeLessThan(24 * megabyte);
  expect(last.nodeDescriptors - first.nodeDescriptors).toBeLessThanOrEqual(idleChildren * lanesPerChild);
  expect(grown(first.templates, last.templates)).toBeLessThan(2 * megabyte);
  for (const mark of marks) {
    expect({ templates: mark.templates.length, zygotes: mark.zygotes.length }).toEqual({ templates: 1, zygotes: 1 });
    expect(mark.children).toBeLessThanOrEqual(idleChildren);
  }
  const descriptors = (mark: Mark) => [...mark.templates, ...mark.zygotes].map((python) => python.descriptors);
  for (const [index, count] of descriptors(last).entries()) {
    expect(count - (descriptors(first)[index] ?? 0)).toBeLessThanOrEqual(idleChildren * 2);
  }
}

async function markOf(engine: Engine, calls: number): Promise<Mark> {
  await untilQuiet(engine);
  collectGarbage();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const python = descendants();
  const atDepth = (wanted: number) => withChildren(python, wanted).map(({ pid }) => pythonMark(pid));
  return {
    calls,
    heapBytes: heapUsed + external,
    nodeBytes: rss,
    nodeDescriptors: openDescriptors(),
    templates: atDepth(1),
    zygotes: atDepth(2),
    children: python.filter(({ depth }) => depth >= 3).length,
  };
}

/** A strict template keeps a process that waits for its script, and has no children yet. */
function withChildren(python: ReturnType<typeof descendants>, wanted: number) {
  return python.filter(({ depth, pid }) => depth === wanted && python.some(({ parent }) => parent === pid));
}

function pythonMark(pid: number): PythonMark {
  return { pid, bytes: residentBytes(pid), descriptors: openDescriptors(pid) };
}

/** Ended children are gone, new ones stand ready, and the process that was replaced has left. */
async function untilQuiet(engine: Engine): Promise<void> {
  const quiet = () => {
    const { running, scripts } = engine.status();
    const [status] = scripts;
    const below = descendants();
    const children = below.filter(({ depth }) => depth >= 3).length;
    return running === 0 && status?.busy === 0 && withChildren(below, 2).length === 1 && children === status.idle;
  };
  for (let tries = 0; tries < 200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (quiet()) return;
  }
  expect.fail(`the engine does not come to rest: ${JSON.stringify({ status: engine.status(), below: descendants() })}`);
}

function ends(marks: readonly Mark[]): [Mark, Mark] {
  const [first, last] = [marks[0], marks.at(-1)];
  return first && last ? [first, last] : expect.fail('no marks');
}

function grown(first: readonly PythonMark[], last: readonly PythonMark[]): number {
  const total = (marks: readonly PythonMark[]) => marks.reduce((sum, { bytes }) => sum + bytes, 0);
  return total(last) - total(first);
}

function describeMark(mark: Mark | undefined): string {
  if (!mark) return '';
  const mb = (bytes: number) => `${(bytes / megabyte).toFixed(1)} MB`;
  const python = [...mark.templates, ...mark.zygotes].map(({ bytes, descriptors }) => `${mb(bytes)}/${descriptors}`);
  const node = `heap ${mb(mark.heapBytes)}, resident ${mb(mark.nodeBytes)}, ${mark.nodeDescriptors} descriptors`;
  return `${mark.calls} calls: ${node}; template and zygote ${python.join(' and ')}; ${mark.children} children`;
}
