/** What stands beside the list: of each suite its server, its figures, and what was flaky or slow. */
export const measures = String.raw`
function measuresOf(index) {
  const suite = report.suites[index];
  const cases = report.cases.map((row, at) => ({ ...row, at })).filter((row) => row.suite === index);
  return [
    card('Server', make('dl', { class: 'pairs' }, suite.server.flatMap(([label, value]) => [make('dt', {}, label), make('dd', {}, value)])),
      suite.crashes.map(crashOf), noiseOf(suite.noise)),
    latencyCard(suite.tools),
    usageCards(suite.usage),
    slowestCard(cases),
    repeatsCard(cases),
    suite.validators && card('Validators', make('p', {}, suite.validators.facts)),
    suite.notes.length > 0 && card('Notes', make('ul', {}, suite.notes.map((note) => make('li', {}, note)))),
  ].flat();
}

function crashOf({ message, stderr }) {
  return make('div', { class: 'crash' }, make('p', {}, make('strong', {}, 'It ended unasked. '), message),
    stderr.length > 0 && make('pre', { tabindex: 0 }, stderr.join('\n')));
}

function noiseOf(lines) {
  return lines.length > 0 && make('details', {}, make('summary', {}, 'Lines on standard output that are no messages'), make('pre', { tabindex: 0 }, lines.join('\n')));
}

function latencyCard(tools) {
  if (tools.length === 0) return undefined;
  const most = Math.max(...tools.map(({ latency }) => latency.p99Ms));
  const rows = tools.toSorted((one, other) => other.latency.p95Ms - one.latency.p95Ms).map(({ tool, calls, failures, latency }) => [
    make('tr', { class: 'named' }, make('th', { scope: 'row' }, tool),
      make('td', {}, String(calls) + (failures > 0 ? ' (' + failures + ' failed)' : '')),
      make('td', {}, showMs(latency.p50Ms)), make('td', {}, showMs(latency.p95Ms)), make('td', {}, showMs(latency.p99Ms))),
    make('tr', { 'aria-hidden': 'true' }, make('td', { colspan: 5, class: 'barcell' },
      layeredBar([['p99', latency.p99Ms], ['p95', latency.p95Ms], ['p50', latency.p50Ms]], most))),
  ]);
  const head = ['Tool', 'Calls', 'p50', 'p95', 'p99'];
  return card('Latency by tool', make('div', { class: 'scroll' }, make('table', {},
    make('thead', {}, make('tr', {}, head.map((title) => make('th', { scope: 'col' },
      title.startsWith('p') && make('span', { class: 'swatch ' + title, 'aria-hidden': 'true' }), title)))),
    make('tbody', {}, rows.flat()))));
}

function usageCards(usage) {
  if (!usage) return [];
  const { samples, facts } = usage;
  if (samples.length < 2) return [card('Memory and CPU of the server', make('p', {}, facts))];
  const memory = samples.map(({ atMs, memoryBytes }) => [atMs, memoryBytes]);
  const cpu = samples.slice(1).map(({ atMs, cpuMs }, at) => {
    const before = samples[at];
    return [atMs, Math.max(0, ((cpuMs - before.cpuMs) / Math.max(1, atMs - before.atMs)) * 100)];
  });
  const megabytes = niceCeiling(Math.max(...memory.map(([, y]) => y)) / 1048576) * 1048576;
  return [
    card('Memory of the server', make('p', { class: 'facts' }, facts),
      timeChart({ label: 'Memory of the server over time: ' + facts, points: memory, showY: showBytes, ceiling: megabytes })),
    cpu.length > 1 && card('CPU of the server', timeChart({ label: 'CPU of the server over time, in percent of a core', points: cpu,
      showY: (value) => Math.round(value) + ' %' })),
  ];
}

function slowestCard(cases) {
  const slowest = cases.filter(({ status }) => status !== 'skipped').toSorted((one, other) => other.durationMs - one.durationMs).slice(0, 8);
  if (slowest.length < 2) return undefined;
  const most = slowest[0].durationMs;
  return card('Slowest cases', make('ol', { class: 'slowest' }, slowest.map(({ id, at, durationMs }) => make('li', {},
    make('button', { type: 'button', class: 'link', onclick: () => showCase(at) }, id),
    make('span', { class: 'number' }, showMs(durationMs)),
    layeredBar([['p95', durationMs]], most)))));
}

function repeatsCard(cases) {
  const repeated = cases.filter(({ runs, attempts, isFlaky }) => runs > 1 || attempts > 1 || isFlaky);
  if (repeated.length === 0) return undefined;
  const unsteady = repeated.filter(({ isFlaky, failedRuns, attempts }) => isFlaky || failedRuns > 0 || attempts > 1)
    .toSorted((one, other) => other.failedRuns / (other.runs || 1) - one.failedRuns / (one.runs || 1));
  const steady = repeated.length - unsteady.length;
  const head = ['Case', 'Runs', 'Failed', 'Rate'];
  return card('Repeated cases',
    unsteady.length > 0 && make('div', { class: 'scroll' }, make('table', {},
      make('thead', {}, make('tr', {}, head.map((title) => make('th', { scope: 'col' }, title)))),
      make('tbody', {}, unsteady.slice(0, 50).map(({ id, at, runs, failedRuns, attempts }) => make('tr', {},
        make('th', { scope: 'row' }, make('button', { type: 'button', class: 'link', onclick: () => showCase(at) }, id),
          attempts > 1 && make('span', { class: 'facts' }, ' ' + attempts + ' tries')),
        make('td', {}, String(runs)), make('td', {}, String(failedRuns)),
        make('td', {}, runs > 0 ? Math.round((failedRuns / runs) * 100) + ' %' : '')))))),
    unsteady.length > 50 && make('p', {}, unsteady.length - 50 + ' more were unsteady.'),
    steady > 0 && make('p', {}, steady === 1 ? '1 case passed in all of its runs.' : steady + ' cases passed in all of their runs.'));
}
`;
