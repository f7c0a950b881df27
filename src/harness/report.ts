import * as z from 'zod';
import type { JsonValue } from '../toolbox.js';

const count = z.int().nonnegative();
const ms = z.number().nonnegative();
const json: z.ZodType<JsonValue> = z.json();

/** What did not hold, in words and in values. */
export const findingSchema = z.strictObject({
  /** What kind of thing: text, field, schema, output_schema, error, content, snapshot, progress, logs, latency, memory, no_answer, server, validator, capture, setup, check … */
  kind: z.string(),
  message: z.string().describe('A whole sentence.'),
  path: z.string().optional().describe('The JSONPath that it is about.'),
  expected: json.optional(),
  actual: json.optional(),
  code: z.string().optional().describe('A code of the error table, where there is one.'),
  file: z.string().optional().describe('The file that it is about, such as a validator.'),
  line: count.optional(),
  detail: z.string().optional().describe('More lines, such as a traceback.'),
});

const loggedLine = z.strictObject({ level: z.string(), message: z.string() });

export const percentilesSchema = z.strictObject({
  count,
  minMs: ms,
  p50Ms: ms,
  p95Ms: ms,
  p99Ms: ms,
  maxMs: ms,
  meanMs: ms,
});

const validatorReport = z.strictObject({
  name: z.string(),
  phase: z.enum(['before', 'after']),
  passed: z.boolean(),
  message: z.string().optional(),
  logs: z.array(loggedLine).readonly(),
  wallMs: ms.optional(),
  cpuMs: ms.optional(),
  peakMemoryBytes: count.optional(),
});

const loadReport = z.strictObject({
  clients: count,
  calls: count,
  errors: count,
  durationMs: ms,
  ratePerSecond: z.number().nonnegative(),
  latency: percentilesSchema,
  /** How many calls took how long: upper bounds in milliseconds, ascending. */
  histogram: z.array(z.strictObject({ upToMs: z.number(), count })).readonly(),
  failures: z
    .array(z.strictObject({ message: z.string(), count }))
    .readonly()
    .describe('The most frequent ones.'),
});

export const caseReportSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.enum([
    'tool',
    'prompt',
    'resource',
    'list',
    'request',
    'check',
    'conformance',
    'setup',
    'teardown',
    'server',
  ]),
  target: z.string().optional().describe('The tool, prompt, URI, list or method.'),
  tags: z.array(z.string()).readonly(),
  line: count.optional(),
  column: count.optional(),
  status: z.enum(['passed', 'failed', 'skipped']),
  reason: z.string().optional().describe('Why it was skipped; of a check, also what else it has to say.'),
  findings: z.array(findingSchema).readonly().describe('Of the last run that failed; none where all passed.'),
  earlierFindings: z
    .array(findingSchema)
    .readonly()
    .optional()
    .describe('Of a flaky case that passed in the end: what the last try found that failed.'),
  durationMs: ms.describe('Of everything about it: steps, validators, retries.'),
  latencyMs: ms.optional().describe('Of the last answer.'),
  runs: count.describe('Runs with repeat; 0 where it was skipped.'),
  failedRuns: count,
  attempts: count.describe('Tries of the last run.'),
  isFlaky: z.boolean().describe('It failed in one try and passed in another.'),
  request: z.strictObject({ method: z.string(), params: json }).optional(),
  response: json.optional(),
  events: z.array(json).readonly().optional(),
  values: z.record(z.string(), json).optional().describe('What was captured or said by validators.'),
  validators: z.array(validatorReport).readonly(),
  stderr: z.array(z.string()).readonly().optional().describe('Of a failed case: what the server wrote at last.'),
  load: loadReport.optional(),
});

const totals = z.strictObject({ cases: count, passed: count, failed: count, skipped: count, flaky: count });

export const suiteReportSchema = z.strictObject({
  name: z.string(),
  file: z.string(),
  outcome: z.enum(['passed', 'failed']),
  durationMs: ms,
  totals,
  server: z.strictObject({
    kind: z.enum(['command', 'url', 'script', 'config']),
    shown: z.string().describe('The command or address, without secrets.'),
    name: z.string().optional(),
    version: z.string().optional(),
    protocolVersion: z.string().optional(),
    starts: count,
    startMs: ms.optional(),
    crashes: z
      .array(z.strictObject({ during: z.string(), message: z.string(), stderr: z.array(z.string()).readonly() }))
      .readonly(),
    noise: z.array(z.string()).readonly().describe('Lines on standard output that are no messages.'),
  }),
  cases: z.array(caseReportSchema).readonly(),
  measures: z.strictObject({
    tools: z
      .array(z.strictObject({ tool: z.string(), calls: count, failures: count, latency: percentilesSchema }))
      .readonly(),
    server: z
      .strictObject({
        peakMemoryBytes: count,
        cpuMs: ms,
        samples: z.array(z.strictObject({ atMs: ms, memoryBytes: count, cpuMs: ms })).readonly(),
      })
      .optional()
      .describe('Of its process tree; not known of an address.'),
    validators: z.strictObject({ runs: count, wall: percentilesSchema, cpuMs: ms, peakMemoryBytes: count }).optional(),
  }),
  toolCoverage: z
    .strictObject({ listed: count, notCalled: z.array(z.string()).readonly() })
    .optional()
    .describe(
      'How many tools the server lists, and which of them no case called; only where all cases of the suite were to be run.',
    ),
  snapshots: z.strictObject({ written: count, updated: count, unused: z.array(z.string()).readonly() }),
  notes: z.array(z.string()).readonly(),
});

/** What a run found. The source of docs/report.schema.json, too. */
export const reportSchema = z.strictObject({
  version: z.literal(1),
  startedAt: z.string(),
  durationMs: ms,
  outcome: z.enum(['passed', 'failed', 'interrupted']),
  totals,
  suites: z.array(suiteReportSchema).readonly(),
  environment: z.strictObject({ mcpExecution: z.string(), node: z.string(), platform: z.string() }),
});

export type Finding = z.output<typeof findingSchema>;
export type LoggedLine = z.output<typeof loggedLine>;
export type Percentiles = z.output<typeof percentilesSchema>;
export type ValidatorReport = z.output<typeof validatorReport>;
export type LoadReport = z.output<typeof loadReport>;
export type CaseReport = z.output<typeof caseReportSchema>;
export type SuiteReport = z.output<typeof suiteReportSchema>;
export type Totals = z.output<typeof totals>;
export type Report = z.output<typeof reportSchema>;

/** Told while suites run, in the order in which things happen. */
export type RunEvent =
  | { readonly type: 'suite-started'; readonly file: string; readonly name: string; readonly cases: number }
  | { readonly type: 'server-started'; readonly ms: number }
  | { readonly type: 'case-started'; readonly id: string }
  | { readonly type: 'case-finished'; readonly report: CaseReport }
  | { readonly type: 'note'; readonly message: string }
  | { readonly type: 'suite-finished'; readonly report: SuiteReport };
