import * as z from 'zod';

const operations = ['generate_wrappers', 'discover_schemas', 'execute_script', 'call_tool', 'search_tools'] as const;
export type Operation = (typeof operations)[number];

const count = () => z.int().nonnegative();

const entrySchema = z.object({
  op: z.enum(operations),
  /** The id of a run, where it is one. */
  run: z.string().max(100).optional(),
  at: z.string().max(40),
  ms: z.number().nonnegative(),
  outcome: z.enum(['done', 'failed']),
  /** Of what failed: the code of the error. */
  code: z.string().max(60).optional(),
  /** How often each tool was called: `server/tool`. */
  calls: z.record(z.string(), count()).optional(),
  /** Written by a script: output and value. */
  bytes: count().optional(),
});

/** One operation, as it stands in the log. */
export type RunLogEntry = Readonly<z.output<typeof entrySchema>>;

const totalsSchema = z.object({ done: count(), failed: count(), calls: count(), ms: z.number().nonnegative() });

/** All operations of a kind. */
export type OperationTotals = Readonly<z.output<typeof totalsSchema>>;

const totalsLineSchema = z.object({ totals: z.partialRecord(z.enum(operations), totalsSchema) });

export interface LogLines {
  readonly entries: readonly RunLogEntry[];
  /** What was counted in the files before this one; the last word on it. */
  readonly totals: Partial<Record<Operation, OperationTotals>>;
}

/** Lines that are damaged are passed over. */
export function readLines(text: string): LogLines {
  const entries: RunLogEntry[] = [];
  let totals: LogLines['totals'] = {};
  for (const line of text.split('\n')) {
    const value = parsed(line);
    const entry = entrySchema.safeParse(value);
    if (entry.success) entries.push(entry.data);
    const sums = totalsLineSchema.safeParse(value);
    if (sums.success) totals = sums.data.totals;
  }
  return { entries, totals };
}

export function emptyTotals(): Record<Operation, OperationTotals> {
  const none = { done: 0, failed: 0, calls: 0, ms: 0 };
  return {
    generate_wrappers: none,
    discover_schemas: none,
    execute_script: none,
    call_tool: none,
    search_tools: none,
  };
}

export function addEntry(sum: Record<Operation, OperationTotals>, entry: RunLogEntry): void {
  const calls = Object.values(entry.calls ?? {}).reduce((all, one) => all + one, 0);
  const isDone = entry.outcome === 'done';
  addTotals(sum, { [entry.op]: { done: isDone ? 1 : 0, failed: isDone ? 0 : 1, calls, ms: entry.ms } });
}

export function addTotals(
  sum: Record<Operation, OperationTotals>,
  added: Partial<Record<Operation, OperationTotals>>,
): void {
  for (const op of operations) {
    const one = added[op];
    if (one === undefined) continue;
    const { done, failed, calls, ms } = sum[op];
    sum[op] = { done: done + one.done, failed: failed + one.failed, calls: calls + one.calls, ms: ms + one.ms };
  }
}

function parsed(line: string): unknown {
  if (line === '') return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
