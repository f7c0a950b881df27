import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/harness/report.js';
import { runSuite } from '../../src/services/run-suite.js';
import { folderWith, processesLeft } from '../engine/harness.js';

const file = join(import.meta.dirname, '../suites/word-count.suite.yaml');
let report: Report;

beforeAll(async () => {
  const engine = { cacheDir: folderWith({}), idleChildren: 1, logLevel: 'silent' } as const;
  report = await runSuite(file, { engine, refuseNewSnapshots: true });
});
afterAll(() => {
  expect(processesLeft()).toEqual([]);
});

describe('the suite of a script of ours', () => {
  it('passes with all that is in it', () => {
    const suite = report.suites[0] ?? expect.fail('there is no report');
    const { cases, snapshots, server } = suite;
    expect(cases.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(report).toMatchObject({ outcome: 'passed', totals: { passed: 22, failed: 0, skipped: 0 } });
    expect(snapshots).toEqual({ written: 0, updated: 0, unused: [] });
    expect(server).toMatchObject({ kind: 'script', starts: 1, crashes: [], noise: [] });
  });

  it('carries values from one case into another, and says what it saw', () => {
    const values = Object.assign({}, ...(report.suites[0]?.cases ?? []).map((each) => each.values));
    expect(values).toEqual({ most_frequent: 'rose', longest_word: 'always' });
  });

  it('measures calls of several clients at once', () => {
    const { load } = report.suites[0]?.cases.find(({ id }) => id === 'counting holds under load') ?? {};
    expect(load).toMatchObject({ clients: 2, calls: 10, errors: 0 });
  });

  it('measures the script as it runs: its tools, its processes and its validators', () => {
    const { tools, server, validators } = report.suites[0]?.measures ?? expect.fail('nothing was measured');
    expect(tools.map(({ tool, calls }) => [tool, calls])).toEqual(
      expect.arrayContaining([
        ['count', 4],
        ['longest', 1],
        ['words', 4],
      ]),
    );
    expect(server?.peakMemoryBytes).toBeGreaterThan(1e6);
    expect(validators?.runs).toBe(1);
  });
});
