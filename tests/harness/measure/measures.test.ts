import { expect, test } from 'vitest';
import { createMeasures } from '../../../src/harness/measure/measures.js';
import { suiteReportSchema } from '../../../src/harness/report.js';
import type { RunFigures } from '../../../src/toolbox.js';

const figures: RunFigures = {
  queueMs: 0,
  wallMs: 10,
  cpuMs: 4,
  peakMemoryBytes: 1000,
  addedMemoryBytes: 10,
  isolation: 'call',
  launcher: 'fork',
  python: '3.12.0',
  profile: 'strict',
  enforced: { files: 'none', network: 'none', processes: 'none', memory: 'none', cpu: 'none', disk: 'none' },
};

test('latencies are told per tool, in the order of names', () => {
  const collector = createMeasures();
  for (let ms = 1; ms <= 100; ms += 1) collector.noteCall('search', ms, ms > 98);
  collector.noteCall('add', 5, false);
  expect(collector.measures()).toEqual({
    tools: [
      {
        tool: 'add',
        calls: 1,
        failures: 0,
        latency: { count: 1, minMs: 5, p50Ms: 5, p95Ms: 5, p99Ms: 5, maxMs: 5, meanMs: 5 },
      },
      {
        tool: 'search',
        calls: 100,
        failures: 2,
        latency: { count: 100, minMs: 1, p50Ms: 50, p95Ms: 95, p99Ms: 99, maxMs: 100, meanMs: 50.5 },
      },
    ],
  });
});

test('figures of validators are summed up', () => {
  const collector = createMeasures();
  collector.noteValidator(figures);
  collector.noteValidator({ ...figures, wallMs: 20, peakMemoryBytes: 500 });
  expect(collector.measures().validators).toMatchObject({
    runs: 2,
    cpuMs: 8,
    peakMemoryBytes: 1000,
    wall: { p50Ms: 10, maxMs: 20 },
  });
});

test('very many latencies are told of by a sample of them, and counted', () => {
  const collector = createMeasures();
  for (let call = 0; call < 150_000; call += 1) collector.noteCall('echo', call % 100, false);
  const [echo] = collector.measures().tools;
  expect(echo).toMatchObject({ calls: 150_000, latency: { count: 150_000, minMs: 0, maxMs: 99 } });
});

test('measures have the form of the report', () => {
  const collector = createMeasures();
  collector.noteCall('add', 1.5, false);
  collector.noteValidator(figures);
  const server = { peakMemoryBytes: 1, cpuMs: 2, samples: [{ atMs: 0.5, memoryBytes: 1, cpuMs: 2 }] };
  const measures = collector.measures(server);
  expect(suiteReportSchema.shape.measures.parse(measures)).toEqual(measures);
});
