import type { CodeFigures } from './code.js';
import type { DiscoverySpeed } from './discovery.js';
import { median, megabytes, rounded } from './figures.js';
import type { HarnessFigures } from './harness.js';
import { gatewayCall, gatewayShared, supergateway } from './http.js';
import type { Memory, Start } from './probes.js';
import type { Comparison, Measured } from './rounds.js';
import { fastmcp, type Listings, ratioOf, servedCall } from './serving.js';
import { executePrecompiled, executeScript, isolatedCall, strictCall, type WorkloadName } from './workloads.js';

export interface Results {
  readonly workloads: ReadonlyMap<WorkloadName, Comparison>;
  readonly memory: readonly { readonly name: string; readonly memory: Memory }[];
  readonly starts: readonly { readonly name: string; readonly start: Start }[];
  readonly listings?: Listings;
  readonly discovery?: DiscoverySpeed;
  readonly code?: CodeFigures;
  readonly harness?: HarnessFigures;
}

export interface Target {
  readonly what: string;
  readonly wanted: string;
  readonly found: string;
  readonly reached: boolean;
}

const megabyte = 1024 * 1024;

/** The ratios of this run against what was promised. What was not measured is left out. */
export function ratioTargets({ workloads, memory, starts, listings, discovery, code, harness }: Results): Target[] {
  const [trivial, heavy, unseen] = (['trivial', 'heavy', 'unseen'] as const).map((name) =>
    find(workloads.get(name), isolatedCall),
  );
  const cached = find(workloads.get('precompiled'), executePrecompiled);
  const [overhead] = memory;
  const sandboxed = find(workloads.get('strict'), strictCall);
  const [trusted, strict] = ['fork', 'fork, strict'].map((name) => newScriptTimes(starts, name));
  const served = servedRatio(workloads.get('stdio'));
  const http = workloads.get('http');
  const [isolated, shared, bridge] = [gatewayCall, gatewayShared, supergateway].map((name) => find(http, name));
  const slow = find(workloads.get('slow'), gatewayCall);
  return [
    ...(listings
      ? [
          atMost(
            'tools/list of a known script against node -e 0',
            2.5,
            ratioOf(listings.knownMs, listings.bareNodeMs),
            'x',
          ),
        ]
      : []),
    ...(listings && listings.peerMs.length > 0
      ? [atLeast('the same, faster than FastMCP', 5, ratioOf(listings.peerMs, listings.knownMs), 'x')]
      : []),
    ...(served === undefined ? [] : [atLeast('a warm call over stdio, p50 against FastMCP', 1, served, 'x')]),
    ...(isolated
      ? [atLeast('gateway, a process per call, against the SDK alone', 0.5, isolated.perSecondRatio, 'x')]
      : []),
    ...(shared ? [atLeast('gateway, one shared process, against the SDK alone', 0.8, shared.perSecondRatio, 'x')] : []),
    ...(isolated && bridge
      ? [
          atLeast(
            'gateway, a process per call, against supergateway',
            10,
            isolated.perSecondRatio / bridge.perSecondRatio,
            'x',
          ),
        ]
      : []),
    ...(slow ? [atLeast('gateway, a tool of 200 ms at 8 clients', 36, slow.perSecond, 'calls/s')] : []),
    ...(discovery
      ? [atLeast('discovery of the standard library', 200, median(discovery.filesPerSecond), 'files/s')]
      : []),
    ...(code ? codeTargets(code) : []),
    ...(harness ? harnessTargets(harness) : []),
    ...(sandboxed ? [atMost('strict, p50 alone against trusted', 1.15, 1 / sandboxed.aloneRatio, 'x')] : []),
    ...(sandboxed ? [atLeast('strict, 8 at once against trusted', 0.75, sandboxed.perSecondRatio, 'x')] : []),
    ...(trusted && strict
      ? [atMost('strict, start of a zygote beyond trusted (p50)', 5, median(strict) - median(trusted), 'ms')]
      : []),
    ...(trivial ? [atLeast('trivial script, p50 alone against fresh', 40, trivial.aloneRatio, 'x')] : []),
    ...(trivial ? [atLeast('trivial script, 8 at once against fresh', 9, trivial.perSecondRatio, 'x')] : []),
    ...(heavy ? [atLeast('heavy imports, p50 alone against fresh', 150, heavy.aloneRatio, 'x')] : []),
    ...(heavy ? [atLeast('heavy imports, 8 at once against fresh', 25, heavy.perSecondRatio, 'x')] : []),
    ...(unseen ? [atLeast('unseen source, p50 alone against fresh', 6, unseen.aloneRatio, 'x')] : []),
    ...(cached ? [atLeast('precompiled with context, 8 at once', 100, cached.perSecond, '/s')] : []),
    ...(cached ? [atLeast('the same, what is aimed at', 500, cached.perSecond, '/s')] : []),
    ...(overhead
      ? [below('overhead of the engine, trivial script', 50, totalBytes(overhead.memory) / megabyte, 'MB')]
      : []),
    ...(overhead ? [below('its Python side, what is aimed at', 25, overhead.memory.pythonBytes / megabyte, 'MB')] : []),
  ];
}

function codeTargets({ size, scriptMs, directMs, bareMs, importingMs }: CodeFigures): Target[] {
  return [
    atMost('code execution: what an agent reads, of all schemas', 3, (size.readBytes / size.allBytes) * 100, '%'),
    atMost('100 tool calls of a script against the SDK client', 1.5, ratioOf(scriptMs, directMs), 'x'),
    below(
      'start of a script with 156 wrappers on disk, beyond without',
      15,
      median(importingMs) - median(bareMs),
      'ms',
    ),
  ];
}

function harnessTargets({ casesPerSecond, firstCaseMs }: HarnessFigures): Target[] {
  return [
    atLeast('harness: cases with a Python validator each', 200, median(casesPerSecond), 'cases/s'),
    below('harness: from the start of the command to the first case', 500, median(firstCaseMs), 'ms'),
  ];
}

/** The four absolute figures of the requirement. */
export function absoluteTargets({ workloads, memory, starts }: Results): Target[] {
  const simple = find(workloads.get('unseen'), executeScript);
  const cached = find(workloads.get('precompiled'), executePrecompiled);
  const [overhead] = memory;
  const births = starts.filter(({ name }) => name === 'fork').flatMap(({ start }) => start.newProcessMs);
  return [
    ...(simple ? [below('a simple script, from source to result (p50)', 100, simple.alone.p50, 'ms')] : []),
    ...(births.length > 0 ? [below('start of a process for a call (p50)', 50, median(births), 'ms')] : []),
    ...(overhead ? [below('overhead in memory', 50, totalBytes(overhead.memory) / megabyte, 'MB')] : []),
    ...(cached ? [atLeast('scripts per second, cached', 100, cached.perSecond, '/s')] : []),
  ];
}

export function totalBytes({ pythonBytes, nodeResidentBytes }: Memory): number {
  return pythonBytes + nodeResidentBytes;
}

export function describeMemory(memory: Memory): string[] {
  return [
    String(memory.pythonProcesses),
    megabytes(memory.pythonBytes),
    memory.bytesByLevel.map(megabytes).join(' + '),
    megabytes(memory.nodeResidentBytes),
    megabytes(memory.nodeHeapBytes),
    megabytes(totalBytes(memory)),
  ];
}

function newScriptTimes(starts: Results['starts'], name: string): number[] | undefined {
  const times = starts.filter((entry) => entry.name === name).flatMap(({ start }) => start.newScriptMs);
  return times.length > 0 ? times : undefined;
}

/** How many times faster than the peer, where it could be measured. */
function servedRatio(comparison: Comparison | undefined): number | undefined {
  return find(comparison, fastmcp) && find(comparison, servedCall)?.aloneRatio;
}

function find(comparison: Comparison | undefined, wanted: string): Measured | undefined {
  return comparison?.contenders.find(({ name }) => name === wanted);
}

function atLeast(what: string, limit: number, value: number, unit: string): Target {
  return { what, wanted: `>= ${limit} ${unit}`, found: `${rounded(value)} ${unit}`, reached: value >= limit };
}

function atMost(what: string, limit: number, value: number, unit: string): Target {
  return { what, wanted: `<= ${limit} ${unit}`, found: `${rounded(value)} ${unit}`, reached: value <= limit };
}

function below(what: string, limit: number, value: number, unit: string): Target {
  return { what, wanted: `< ${limit} ${unit}`, found: `${rounded(value)} ${unit}`, reached: value < limit };
}
