import { median, rounded } from './figures.js';
import { loadSection } from './load.js';
import type { Comparison } from './rounds.js';
import { ratioOf } from './serving.js';
import { table } from './table.js';
import { absoluteTargets, describeMemory, type Results, ratioTargets, type Target } from './targets.js';
import { workloads } from './workloads.js';

const latencyHead = (baseline: string) => [
  'ms',
  'alone p50',
  'p95',
  'p99',
  'in a row p50',
  'p95',
  'p99',
  '8 at once, calls/s',
  `alone, x ${baseline}`,
  `calls/s, x ${baseline}`,
];

/** All tables of a run, as Markdown. */
export function report(results: Results, machine: string): string {
  const day = new Date().toISOString().slice(0, 10);
  return [
    '# Bench results',
    `Written by \`npm run bench -- --keep\` on ${day}.\n${machine}.`,
    targetSection('Targets: ratios within this run', ratioTargets(results)),
    targetSection("Targets: the requirement's absolute figures", absoluteTargets(results)),
    ...workloads.flatMap(({ name, title, baseline }) => {
      const comparison = results.workloads.get(name);
      return comparison ? [`## ${title}\n\n${comparison.rounds} rounds.\n\n${latencyTable(comparison, baseline)}`] : [];
    }),
    memorySection(results),
    startSection(results),
    listingSection(results),
    discoverySection(results),
    codeSection(results),
    harnessSection(results),
    loadSection(),
    howToRead,
  ]
    .filter((section) => section !== '')
    .join('\n\n')
    .concat('\n');
}

function targetSection(title: string, targets: readonly Target[]): string {
  if (targets.length === 0) return '';
  const rows = targets.map(({ what, wanted, found, reached }) => [what, wanted, found, reached ? 'yes' : 'NO']);
  return `## ${title}\n\n${table(['', 'wanted', 'measured', 'reached'], rows)}`;
}

function latencyTable({ contenders }: Comparison, baseline = 'fresh'): string {
  const rows = contenders.map(({ name, alone, backToBack, perSecond, aloneRatio, perSecondRatio }) => [
    name,
    ...[alone, backToBack].flatMap(({ p50, p95, p99 }) => [p50, p95, p99].map(rounded)),
    rounded(perSecond),
    rounded(aloneRatio),
    rounded(perSecondRatio),
  ]);
  return table(latencyHead(baseline), rows);
}

function memorySection({ memory }: Results): string {
  if (memory.length === 0) return '';
  const head = ['MB', 'Python processes', 'their PSS', 'by level', 'added RSS of Node', 'of it heap', 'PSS + RSS'];
  const rows = memory.map(({ name, memory: found }) => [name, ...describeMemory(found)]);
  return `## Memory: everything that runs for one script with 8 processes ready\n\n${table(head, rows)}`;
}

function startSection({ starts }: Results): string {
  const names = [...new Set(starts.map(({ name }) => name))];
  if (names.length === 0) return '';
  const rows = names.map((name) => {
    const own = starts.filter((entry) => entry.name === name).map(({ start }) => start);
    return [
      name,
      rounded(median(own.map(({ firstResultMs }) => firstResultMs))),
      rounded(median(own.flatMap(({ newScriptMs }) => newScriptMs))),
      rounded(median(own.flatMap(({ newProcessMs }) => newProcessMs))),
    ];
  });
  const head = ['ms (p50), launcher', 'first result of a new engine', 'first result of a new script', 'a new process'];
  return `## Start\n\n${table(head, rows)}`;
}

function listingSection({ listings }: Results): string {
  if (listings === undefined) return '';
  const { bareNodeMs, knownMs, unseenMs, peerMs } = listings;
  const row = (name: string, times: readonly number[]) =>
    times.length === 0 ? [] : [[name, rounded(median(times)), rounded(ratioOf(times, bareNodeMs))]];
  const rows = [
    ...row('node -e 0', bareNodeMs),
    ...row('mcp-exec serve, a script that is known', knownMs),
    ...row('mcp-exec serve, a script never seen', unseenMs),
    ...row('FastMCP, the same functions', peerMs),
  ];
  return `## From process start to the answer of tools/list\n\n${table(['', 'ms (p50)', 'x node'], rows)}`;
}

function discoverySection({ discovery }: Results): string {
  if (discovery === undefined) return '';
  const { files, filesPerSecond } = discovery;
  const rows = [[`${files} modules of the standard library`, rounded(median(filesPerSecond))]];
  return `## Discovery\n\n${table(['', 'files/s'], rows)}`;
}

function harnessSection({ harness }: Results): string {
  if (harness === undefined) return '';
  const { casesPerSecond, plainPerSecond, firstCaseMs, bareNodeMs } = harness;
  const rows = [
    ['500 cases with a Python validator each, 8 at once', `${rounded(median(casesPerSecond))} cases/s`],
    ['the same without validators', `${rounded(median(plainPerSecond))} cases/s`],
    ['start of mcp-exec test to the first call that the server hears', `${rounded(median(firstCaseMs))} ms`],
    ['the same, x node -e 0', `${rounded(ratioOf(firstCaseMs, bareNodeMs))}`],
  ];
  return `## The test harness\n\nAgainst a server on stdio, built with the SDK.\n\n${table(['', 'median'], rows)}`;
}

function codeSection({ code }: Results): string {
  if (code === undefined) return '';
  const { size, scriptMs, directMs, bareMs, besideMs, importingMs } = code;
  const tokens = (bytes: number) => `about ${Math.round(bytes / 4).toLocaleString('en')}`;
  const sizes = [
    [`all schemas of ${size.servers} servers with ${size.tools} tools`, String(size.allBytes), tokens(size.allBytes)],
    ['the list of mcp-execution-server, and one search', String(size.readBytes), tokens(size.readBytes)],
  ];
  const row = (name: string, times: readonly number[]) => [name, rounded(median(times))];
  const times = [
    row('100 calls by the SDK client to a server on stdio', directMs),
    row('the same by a script', scriptMs),
    row('a script that does nothing, no wrappers on disk', bareMs),
    row(`the same beside ${size.tools} wrappers`, besideMs),
    row('the same, importing one of them', importingMs),
  ];
  const read = table(['what an agent reads', 'bytes', 'tokens'], sizes);
  return `## Code execution\n\n${read}\n\n${table(['', 'ms (p50)'], times)}`;
}

const howToRead = `## How to read this

- All contenders of a table ran in one go, in turns: a round holds a small batch of each, and every round is begun by another
  one, so that noise hits all alike. Ratios are taken within each round; the median over the rounds is shown. Trust the
  ratios, not the absolute figures.
- **alone**: one call at a time, 3 ms after the one before it and when the processes kept ready are complete again, which takes warm
  interpreters longer. **in a row**: the next call as soon as the last one has answered. p50 is the median of the rounds'
  medians, p95 and p99 are taken over all calls.
- **fresh interpreter per call** is the least that isolation costs without this engine: the interpreter itself, without a shim, a
  runner of four lines, arguments and result as JSON over pipes. **floor** is one interpreter for all calls without any isolation.
- **isolation shared** answers one call at a time, **isolation session** one per session; at 8 at once there are eight sessions.
- **trusted** and **strict** are the same calls without and with the sandbox; alone, more than 1 would be faster than trusted.
- **PSS** counts memory that processes share in parts. It is read after 1,000 calls (50 for warm interpreters), with 8 processes
  ready. **by level** is the template, the zygote and its children; for warm interpreters, their guards and themselves.
- **added RSS of Node** is the growth from before the engine was created, after collecting garbage. What is not heap is mostly room
  that V8 keeps for young objects of any kind.
- **FastMCP** is installed from its package index by the bench; its functions run in the server's own process, one after another.
  Both servers are called by the same client, over pipes.
- **known**: the manifest of the script is in the user's cache. **never seen**: the script is discovered first.
- **a new process**: the time that a call waits when no process stands ready for it.`;
