import type { Exchange, OpenServer, TestedServer } from '../../testedserver.js';
import type { JsonObject } from '../../toolbox.js';
import type { Finding, LoadReport } from '../report.js';
import type { LoadSpec } from '../suite/schema.js';
import { budgetFindings } from './budgets.js';
import { Connection } from './connection.js';
import { FailureTally } from './failure-tally.js';
import { Latencies } from './latencies.js';

export interface LoadInput {
  readonly spec: LoadSpec;
  readonly method: string;
  readonly params: JsonObject;
  readonly open: OpenServer;
  /** The suite's own server, started anew where it was over. */
  readonly server: () => Promise<TestedServer>;
  /** The clients share the suite's own server; otherwise each opens one for itself. */
  readonly isShared: boolean;
  /** What does not hold of an answer. */
  readonly judge: (exchange: Exchange) => Promise<readonly Finding[]>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly onTick?: (done: number) => void;
}

const mostProcesses = 64;
const mostOpenedAtOnce = 8;

/** Each client sends its next request when it has the answer to the last one. */
export async function runLoad(input: LoadInput): Promise<{ report: LoadReport; findings: readonly Finding[] }> {
  const { spec } = input;
  const connections = connectionsFor(input);
  try {
    const tooMany = await refuseTooManyProcesses(input, connections);
    if (tooMany) return { report: emptyReport(spec), findings: [tooMany] };
    await openAll(connections);
    const clients = Array.from({ length: spec.clients }, (_, number) => connections[number % connections.length]);
    const lanes = clients.filter((connection) => connection !== undefined);
    await Promise.all(lanes.map((connection) => warmUp(input, connection)));
    const report = await measure(input, lanes);
    await Promise.all(connections.map((connection) => connection.finish()));
    const findings = [...serverFindings(connections), ...budgetFindings(spec, report)];
    return { report, findings: findings.length > 0 ? findings : shortcomings(input, report) };
  } finally {
    if (!input.isShared) await Promise.all(connections.map((connection) => connection.close()));
  }
}

/** A load that did not take place says nothing. */
function shortcomings({ signal }: LoadInput, { calls }: LoadReport): readonly Finding[] {
  if (signal?.aborted) return [{ kind: 'load', message: 'The load was interrupted.' }];
  return calls > 0 ? [] : [{ kind: 'load', message: 'No call was made in the time of the load.', actual: 0 }];
}

function connectionsFor({ spec, isShared, open, server, signal }: LoadInput): readonly Connection[] {
  if (isShared) return [new Connection(server)];
  return Array.from({ length: spec.clients }, () => new Connection(() => open({ signal })));
}

async function refuseTooManyProcesses(
  { spec }: LoadInput,
  [first, ...others]: readonly Connection[],
): Promise<Finding | undefined> {
  if (others.length < mostProcesses) return undefined;
  const server = await first?.server();
  if (server?.pid === undefined || server.served?.isShared) return undefined;
  const message = `A load of ${spec.clients} clients would start as many processes of the server; at most ${mostProcesses} are started. Let them share one with isolation: shared, or ask for fewer.`;
  return { kind: 'load', message, expected: mostProcesses, actual: spec.clients };
}

async function openAll(connections: readonly Connection[]): Promise<void> {
  const waiting = connections.values();
  await Promise.all(
    Array.from({ length: mostOpenedAtOnce }, async () => {
      for (const connection of waiting) await connection.server();
    }),
  );
}

async function warmUp(input: LoadInput, connection: Connection): Promise<void> {
  for (let left = input.spec.warmup; left > 0 && !input.signal?.aborted; left -= 1) {
    if (!(await callOnce(input, connection))) return;
  }
}

async function measure(input: LoadInput, lanes: readonly Connection[]): Promise<LoadReport> {
  const latencies = new Latencies();
  const failures = new FailureTally();
  const startedAt = performance.now();
  const hasTurn = turnsOf(input, startedAt);
  let calls = 0;
  let answered = 0;
  const work = async (connection: Connection) => {
    while (hasTurn()) {
      const exchange = await callOnce(input, connection);
      if (!exchange || input.signal?.aborted) return;
      const findings = await input.judge(exchange);
      calls += 1;
      if (exchange.outcome.kind !== 'none') answered += 1;
      if (tookTime(exchange)) latencies.add(exchange.ms);
      failures.add(findings);
      input.onTick?.(calls);
    }
  };
  await Promise.all(lanes.map(work));
  const durationMs = performance.now() - startedAt;
  return {
    clients: input.spec.clients,
    calls,
    errors: failures.calls,
    durationMs,
    ratePerSecond: answered === 0 ? 0 : (answered / durationMs) * 1000,
    latency: latencies.percentiles(),
    histogram: latencies.histogram(),
    failures: failures.mostFrequent(),
  };
}

/** Whether one more call is to be made; with a count, it is used up by asking. */
function turnsOf({ spec, signal }: LoadInput, startedAt: number): () => boolean {
  let left = spec.count ?? Number.POSITIVE_INFINITY;
  const lasts = spec.duration ?? Number.POSITIVE_INFINITY;
  return () => {
    if (signal?.aborted || left === 0 || performance.now() - startedAt >= lasts) return false;
    left -= 1;
    return true;
  };
}

async function callOnce(input: LoadInput, connection: Connection): Promise<Exchange | undefined> {
  const server = await connection.server();
  return server?.request(input.method, input.params, { timeoutMs: input.timeoutMs, signal: input.signal });
}

/** What a server that is gone left open says nothing of how fast it answers. */
function tookTime({ outcome }: Exchange): boolean {
  return outcome.kind !== 'none' || outcome.code === 'TIMEOUT';
}

function serverFindings(connections: readonly Connection[]): readonly Finding[] {
  const ends = connections.flatMap((connection) => connection.ends);
  const failures = connections.flatMap(({ failure }) => failure ?? []);
  const [firstEnd] = ends;
  const [firstFailure] = failures;
  const findings: Finding[] = [];
  if (firstEnd !== undefined) {
    const times = ends.length === 1 ? 'once' : `${ends.length} times`;
    findings.push({ kind: 'server', message: `The server ended ${times} under load. ${sentence(firstEnd)}` });
  }
  if (firstFailure !== undefined) {
    const whose = connections.length === 1 ? 'The server' : `The server of ${failures.length} clients`;
    findings.push({ kind: 'server', message: `${whose} could not be had any more. ${sentence(firstFailure)}` });
  }
  return findings;
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function emptyReport({ clients }: LoadSpec): LoadReport {
  const latency = new Latencies().percentiles();
  return { clients, calls: 0, errors: 0, durationMs: 0, ratePerSecond: 0, latency, histogram: [], failures: [] };
}
