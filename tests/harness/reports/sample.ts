import type { CaseReport, Finding, Percentiles, Report, SuiteReport } from '../../../src/harness/report.js';

/** A report with a case of each kind of ending. */
export function sampleReport(given: Partial<SuiteReport> = {}): Report {
  return reportOf([suiteOf({ cases: sampleCases(), ...given })]);
}

export function sampleCases(): readonly CaseReport[] {
  return [
    caseOf({ id: 'adds two numbers', target: 'add', line: 9, tags: ['smoke'], values: { sum: 3 } }),
    caseOf({
      id: 'greets by name',
      target: 'greet',
      line: 12,
      column: 5,
      tags: ['smoke', 'text'],
      status: 'failed',
      latencyMs: 4.25,
      durationMs: 31,
      findings: [
        findingOf({
          kind: 'text',
          message: 'The text is not the one expected.',
          expected: 'Hello Anna\nHow are you?\nBye',
          actual: 'Hello Bob\nHow are you?\nBye',
        }),
        findingOf({
          kind: 'field',
          message: 'The field has another value.',
          path: '$.structuredContent.user',
          expected: { name: 'Anna', age: 41, tags: ['a', 'b', 'c'] },
          actual: { name: 'Bob', age: 41, tags: ['a', 'c'], extra: true },
        }),
      ],
      request: { method: 'tools/call', params: { name: 'greet', arguments: { name: 'Anna' } } },
      response: { content: [{ type: 'text', text: 'Hello Bob\nHow are you?\nBye' }] },
      events: [{ type: 'progress', done: 1, total: 2, atMs: 1 }],
      validators: [
        {
          name: 'greeting.py',
          phase: 'after',
          passed: false,
          message: 'no Anna',
          logs: [{ level: 'info', message: 'looking for Anna' }],
          wallMs: 2.4,
          cpuMs: 1.1,
          peakMemoryBytes: 9_000_000,
        },
      ],
      stderr: ['\u001b[33mWARN\u001b[0m asked for Anna', 'gave Bob'],
    }),
    caseOf({
      id: 'waits for ever',
      target: 'wait',
      line: 30,
      status: 'failed',
      durationMs: 2200,
      attempts: 3,
      findings: [findingOf({ kind: 'no_answer', code: 'TIMEOUT', message: 'There was no answer within 2 s.' })],
    }),
    caseOf({
      id: 'is steady',
      target: 'roll',
      line: 40,
      isFlaky: true,
      attempts: 2,
      durationMs: 80,
      earlierFindings: [findingOf({ kind: 'text', message: 'It rolled a six.', expected: 5, actual: 6 })],
    }),
    caseOf({
      id: 'needs a key',
      kind: 'resource',
      line: 50,
      status: 'skipped',
      reason: 'no key here',
      runs: 0,
      attempts: 0,
    }),
    caseOf({ id: 'tools have schemas', kind: 'check', durationMs: 3 }),
    caseOf({
      id: 'rolls often',
      target: 'roll',
      runs: 20,
      failedRuns: 3,
      isFlaky: true,
      status: 'failed',
      durationMs: 400,
      findings: [
        findingOf({
          kind: 'latency',
          message: 'The answer took 91 ms; at most 50 ms were allowed.',
          expected: 50,
          actual: 91,
        }),
      ],
    }),
    caseOf({
      id: 'bears load',
      target: 'add',
      tags: ['load'],
      durationMs: 1500,
      load: {
        clients: 8,
        calls: 4000,
        errors: 2,
        durationMs: 1500,
        ratePerSecond: 2666.7,
        latency: percentiles(4000),
        histogram: [1, 2, 4, 8, 16, 32, 64].map((upToMs, index) => ({
          upToMs,
          count: [0, 900, 2200, 700, 180, 19, 1][index] ?? 0,
        })),
        failures: [{ message: 'The connection was closed.', count: 2 }],
      },
    }),
  ];
}

export function reportOf(suites: readonly SuiteReport[]): Report {
  const totals = totalsOf(suites.flatMap(({ cases }) => cases));
  return {
    version: 1,
    startedAt: '2026-02-03T04:05:06.000Z',
    durationMs: 3210,
    outcome: totals.failed > 0 ? 'failed' : 'passed',
    totals,
    suites,
    environment: { mcpExecution: '0.1.0', node: '20.19.0', platform: 'linux x64' },
  };
}

export function suiteOf({ cases = [], ...given }: Partial<SuiteReport>): SuiteReport {
  const totals = totalsOf(cases);
  return {
    name: 'demo server',
    file: 'tests/suite.yaml',
    outcome: totals.failed > 0 ? 'failed' : 'passed',
    durationMs: 3200,
    totals,
    server: {
      kind: 'command',
      shown: 'node demo.mjs --port 0',
      name: 'demo',
      version: '1.2.3',
      protocolVersion: '2025-11-25',
      starts: 2,
      startMs: 48,
      crashes: [
        {
          during: 'waits for ever',
          message: 'It ended with exit code 1.',
          stderr: ['Error: out of luck', '    at main.js:3'],
        },
      ],
      noise: ['listening on nothing'],
    },
    cases,
    measures: {
      tools: [
        { tool: 'add', calls: 4001, failures: 2, latency: percentiles(4001) },
        { tool: 'greet', calls: 1, failures: 0, latency: { ...percentiles(1), p95Ms: 9, p99Ms: 30 } },
        { tool: 'roll', calls: 22, failures: 0, latency: { ...percentiles(22), p50Ms: 20, p95Ms: 60, p99Ms: 91 } },
      ],
      server: {
        peakMemoryBytes: 88_000_000,
        cpuMs: 900,
        samples: Array.from({ length: 33 }, (_, index) => ({
          atMs: index * 100,
          memoryBytes: 52_000_000 + Math.round(36_000_000 * Math.abs(Math.sin(index / 6))),
          cpuMs: index * 18 + Math.round(200 * (1 - Math.cos(index / 5))),
        })),
      },
      validators: { runs: 1, wall: percentiles(1), cpuMs: 1.1, peakMemoryBytes: 9_000_000 },
    },
    toolCoverage: { listed: 5, notCalled: ['count', 'wait'] },
    snapshots: { written: 1, updated: 0, unused: ['old case 1'] },
    notes: ['The server was started again after it had ended.'],
    ...given,
  };
}

export function caseOf(given: Partial<CaseReport> & { readonly id: string }): CaseReport {
  return {
    name: given.id,
    kind: 'tool',
    tags: [],
    status: 'passed',
    findings: [],
    durationMs: 12,
    runs: 1,
    failedRuns: given.status === 'failed' ? 1 : 0,
    attempts: 1,
    isFlaky: false,
    validators: [],
    ...given,
  };
}

export function findingOf(given: Finding): Finding {
  return given;
}

export function percentiles(count: number): Percentiles {
  return { count, minMs: 0.4, p50Ms: 2.1, p95Ms: 8.4, p99Ms: 15.9, maxMs: 41, meanMs: 2.9 };
}

function totalsOf(cases: readonly CaseReport[]) {
  const count = (status: CaseReport['status']) => cases.filter((each) => each.status === status).length;
  const flaky = cases.filter(({ isFlaky }) => isFlaky).length;
  return { cases: cases.length, passed: count('passed'), failed: count('failed'), skipped: count('skipped'), flaky };
}
