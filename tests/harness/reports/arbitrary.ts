import fc from 'fast-check';
import type { CaseReport, Finding, Report, SuiteReport } from '../../../src/harness/report.js';
import type { JsonValue } from '../../../src/toolbox.js';
import { caseOf, percentiles, reportOf, suiteOf } from './sample.js';

/** What hostile servers would write, among everything else that a text can hold. */
const hostile = fc.constantFrom(
  '</script><script>alert(1)</script>',
  '<!--<script>',
  ']]><failure/>',
  '&amp;"\'<>',
  '\u001b]0;title\u0007\u001b[2J',
  '\u0000\ufffe\uffff\ud800',
  '::set-output name=a::b',
  '##[add-path]/tmp',
  '\r\n::error::x',
  '``````\n# heading',
  '\u202egnp.exe',
);
export const anyText = fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 12 }), fc.string({ maxLength: 12 }));
const ms = fc.double({ min: 0, max: 1e12, noNaN: true });
const count = fc.nat(2000);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
export const anyJson = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }).map((value) => value as JsonValue);

const anyFinding: fc.Arbitrary<Finding> = fc.record({
  kind: fc.oneof(fc.constantFrom('text', 'no_answer', 'validator', 'server', 'field'), anyText),
  message: anyText,
  path: optional(anyText),
  expected: optional(anyJson),
  actual: optional(anyJson),
  code: optional(anyText),
  file: optional(anyText),
  line: optional(count),
  detail: optional(anyText),
});

const anyCase: fc.Arbitrary<CaseReport> = fc
  .record({
    id: anyText,
    kind: fc.constantFrom('tool', 'prompt', 'check', 'setup' as const),
    target: optional(anyText),
    tags: fc.array(anyText, { maxLength: 2 }),
    line: optional(count),
    column: optional(count),
    status: fc.constantFrom('passed', 'failed', 'skipped' as const),
    reason: optional(anyText),
    findings: fc.array(anyFinding, { maxLength: 2 }),
    earlierFindings: optional(fc.array(anyFinding, { maxLength: 2 })),
    durationMs: ms,
    latencyMs: optional(ms),
    runs: count,
    failedRuns: count,
    attempts: count,
    isFlaky: fc.boolean(),
    request: optional(fc.record({ method: anyText, params: anyJson })),
    response: optional(anyJson),
    events: optional(fc.array(anyJson, { maxLength: 2 })),
    values: optional(fc.dictionary(anyText, anyJson, { maxKeys: 2 })),
    stderr: optional(fc.array(anyText, { maxLength: 2 })),
    validators: fc.array(
      fc.record({
        name: anyText,
        phase: fc.constantFrom('before', 'after' as const),
        passed: fc.boolean(),
        message: optional(anyText),
        logs: fc.array(fc.record({ level: anyText, message: anyText }), { maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  })
  .map((given) => caseOf(given));

const anySuite: fc.Arbitrary<SuiteReport> = fc
  .record({
    name: anyText,
    file: anyText,
    durationMs: ms,
    cases: fc.array(anyCase, { maxLength: 5 }),
    shown: anyText,
    crashes: fc.array(fc.record({ during: anyText, message: anyText, stderr: fc.array(anyText, { maxLength: 2 }) }), {
      maxLength: 2,
    }),
    noise: fc.array(anyText, { maxLength: 2 }),
    tool: anyText,
    notes: fc.array(anyText, { maxLength: 2 }),
  })
  .map(({ shown, crashes, noise, tool, ...given }) =>
    suiteOf({
      ...given,
      server: { kind: 'url', shown, starts: 1, crashes, noise },
      measures: { tools: [{ tool, calls: 1, failures: 0, latency: percentiles(1) }] },
    }),
  );

export const anyReport: fc.Arbitrary<Report> = fc.array(anySuite, { maxLength: 2 }).map(reportOf);
