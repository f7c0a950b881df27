import type { CaseReport, Report, SuiteReport } from '../../report.js';
import { counted, showBytes, showMs } from '../figures.js';
import { firstFailure, triesOf } from '../finding.js';
import { cutText, loggedLine, visibleLine } from '../foreign.js';
import { summaryLine } from '../summary.js';
import { notCalledLine } from '../tools-not-called.js';

const maxName = 300;
/** It says what to write, at its end. */
const maxReason = 2000;
const maxSamples = 240;
const maxTools = 200;
const maxLines = 200;

/** What the page needs before a case is opened. Every text in it may be shown as it is. */
export function indexOf(report: Report) {
  const { startedAt, outcome, totals, environment } = report;
  return {
    summary: summaryLine(report),
    startedAt,
    outcome,
    totals,
    took: showMs(report.durationMs),
    environment: Object.values({
      version: `mcp-execution ${environment.mcpExecution}`,
      node: `Node ${environment.node}`,
      platform: environment.platform,
    }).map(visibleLine),
    suites: report.suites.map(suiteRow),
    cases: report.suites.flatMap((suite, index) => suite.cases.map((each) => caseRow(each, index))),
  };
}

function caseRow(each: CaseReport, suite: number) {
  const { kind, status, isFlaky, durationMs, latencyMs, runs, failedRuns, attempts, line } = each;
  return {
    suite,
    id: short(each.id),
    kind,
    target: each.target === undefined ? undefined : short(each.target),
    tags: each.tags.map(short),
    status,
    isFlaky,
    line,
    durationMs,
    latencyMs,
    runs,
    failedRuns,
    attempts,
    tries: triesOf(each),
    said: cutText(visibleLine(each.reason ?? firstFailure(each)), each.status === 'skipped' ? maxReason : maxName),
  };
}

function suiteRow({ name, file, totals, durationMs, server, measures, toolCoverage, snapshots, notes }: SuiteReport) {
  const { written, updated, unused } = snapshots;
  return {
    name: short(name),
    file: short(file),
    totals,
    took: showMs(durationMs),
    server: serverFacts(server),
    crashes: server.crashes.slice(0, maxLines).map(({ during, message, stderr }) => ({
      message: `During ${short(during)}: ${cutText(visibleLine(message), 2000)}`,
      stderr: stderr.slice(-maxLines).map(logged),
    })),
    noise: server.noise.slice(0, maxLines).map(logged),
    tools: measures.tools.slice(0, maxTools).map((each) => ({ ...each, tool: short(each.tool) })),
    usage: measures.server && {
      facts: `${showBytes(measures.server.peakMemoryBytes)} at most, ${showMs(measures.server.cpuMs)} of CPU`,
      samples: thinned(measures.server.samples),
    },
    validators: measures.validators && {
      facts: [
        counted(measures.validators.runs, 'run'),
        `p50 ${showMs(measures.validators.wall.p50Ms)}`,
        `p95 ${showMs(measures.validators.wall.p95Ms)}`,
        `p99 ${showMs(measures.validators.wall.p99Ms)}`,
        `${showMs(measures.validators.cpuMs)} of CPU`,
        `${showBytes(measures.validators.peakMemoryBytes)} at most`,
      ].join(', '),
    },
    notes: [
      ...(toolCoverage === undefined ? [] : notCalledLine(toolCoverage, maxLines)),
      ...(written > 0 ? [`${counted(written, 'snapshot')} written.`] : []),
      ...(updated > 0 ? [`${counted(updated, 'snapshot')} updated.`] : []),
      ...unused.slice(0, maxLines).map((each) => `The snapshot ${short(each)} is no longer used.`),
      ...notes.slice(0, maxLines).map((each) => cutText(visibleLine(each), 2000)),
    ],
  };
}

function serverFacts(server: SuiteReport['server']): readonly (readonly [string, string])[] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', server.name === undefined ? undefined : [server.name, server.version ?? ''].join(' ').trim()],
    ['Protocol', server.protocolVersion],
    ['Started by', server.shown],
    [
      'Started',
      `${counted(server.starts, 'time')}${server.startMs === undefined ? '' : ` (${showMs(server.startMs)})`}`,
    ],
  ];
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, short(value)] as const]));
}

type Sample = { readonly atMs: number; readonly memoryBytes: number; readonly cpuMs: number };

/** As many points as can be seen; of those that fall together, the highest memory and the last CPU time. */
function thinned(samples: readonly Sample[]): readonly Sample[] {
  const step = Math.ceil(samples.length / maxSamples);
  if (step <= 1) return samples;
  return Array.from({ length: Math.ceil(samples.length / step) }, (_, index) => {
    const group = samples.slice(index * step, (index + 1) * step);
    const last = group.at(-1) ?? { atMs: 0, memoryBytes: 0, cpuMs: 0 };
    return { ...last, memoryBytes: Math.max(...group.map(({ memoryBytes }) => memoryBytes)) };
  });
}

function short(text: string): string {
  return cutText(visibleLine(text), maxName);
}

function logged(line: string): string {
  return cutText(loggedLine(line), 2000);
}
