import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMetrics, type Gauges } from '../../../src/gateway/observe/metrics.js';
import { registerMetrics } from '../../../src/gateway/observe/metrics-page.js';
import type { CallFigures } from '../../../src/gateway/parts.js';
import { everybody, startApp } from '../harness.js';

const quiet: Gauges = { running: 0, waiting: 0, sessions: 0, services: [] };
const call: CallFigures = { service: 'a', tool: 't', outcome: 'done', transport: 'rest', ms: 20, queueMs: 3 };

describe('the metrics', () => {
  it('count calls by service, tool, outcome and transport, and measure them and their wait', async () => {
    const { metrics, lines } = create(serving('a'));
    metrics.called(call);
    metrics.called({ ...call, outcome: 'EXCEPTION', ms: 2000 });
    const page = await lines();
    expect(page).toContain('mcp_execution_calls_total{service="a",tool="t",outcome="done",transport="rest"} 1');
    expect(page).toContain('mcp_execution_calls_total{service="a",tool="t",outcome="EXCEPTION",transport="rest"} 1');
    expect(page).toContain('mcp_execution_call_duration_seconds_bucket{le="0.025",service="a",tool="t"} 1');
    expect(page).toContain('mcp_execution_call_duration_seconds_sum{service="a",tool="t"} 2.02');
    expect(page).toContain('mcp_execution_queue_wait_seconds_count{service="a"} 2');
  });

  it('show calls, sessions, processes, states and breakers as they are when the page is made', async () => {
    let gauges = serving('a');
    const { lines } = create(() => gauges);
    gauges = {
      running: 3,
      waiting: 7,
      sessions: 2,
      sockets: 9,
      services: [
        { id: 'a', state: 'failing', breaker: 'open', processes: { idle: 1, busy: 2, starts: 5, crashes: 4 } },
      ],
    };
    const page = await lines();
    for (const line of [
      'mcp_execution_calls_running 3',
      'mcp_execution_calls_waiting 7',
      'mcp_execution_sessions 2',
      'mcp_execution_sockets 9',
      'mcp_execution_service_state{service="a",state="failing"} 1',
      'mcp_execution_service_state{service="a",state="ready"} 0',
      'mcp_execution_breaker_state{service="a",state="open"} 1',
      'mcp_execution_service_processes{service="a",state="idle"} 1',
      'mcp_execution_service_processes{service="a",state="busy"} 2',
      'mcp_execution_service_process_starts_total{service="a"} 5',
      'mcp_execution_service_process_crashes_total{service="a"} 4',
    ]) {
      expect(page).toContain(line);
    }
  });

  it('count what is open, came back, was cut and was sent, and results that were kept', async () => {
    const { metrics, lines } = create(serving('a'));
    const [first, second] = [metrics.connected('stream'), metrics.connected('stream')];
    first();
    first();
    metrics.reconnected('stream');
    metrics.cut('legacy-sse');
    metrics.sent('json', 5);
    metrics.sent('json', 7);
    metrics.cached('a', 'joined');
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'mcp_execution_connections{kind="stream"} 1',
        'mcp_execution_reconnects_total{kind="stream"} 1',
        'mcp_execution_slow_consumers_cut_total{kind="legacy-sse"} 1',
        'mcp_execution_sent_bytes_total{kind="json"} 12',
        'mcp_execution_cache_total{service="a",status="joined"} 1',
      ]),
    );
    second();
    expect(await lines()).toContain('mcp_execution_connections{kind="stream"} 0');
  });

  it('name a tool only when a call has shown that it is there', async () => {
    const { metrics, lines } = create(serving('a'));
    for (const outcome of ['UNKNOWN_TOOL', 'QUEUE_FULL', 'CANCELLED', 'TIMEOUT', 'INVALID_ARGUMENTS']) {
      metrics.called({ ...call, tool: `made-up-${outcome}`, outcome });
    }
    metrics.called(call);
    metrics.called({ ...call, outcome: 'TIMEOUT' });
    const page = (await lines()).join('\n');
    expect(page).not.toContain('made-up');
    expect(page).toContain('{service="a",tool="unknown",outcome="UNKNOWN_TOOL",transport="rest"} 1');
    expect(page).toContain('{service="a",tool="t",outcome="TIMEOUT",transport="rest"} 1');
  });

  it('stay as many whatever callers ask for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ tool: fc.string(), outcome: fc.constantFrom('UNKNOWN_TOOL', 'CANCELLED', 'QUEUE_FULL') })),
        async (asked) => {
          const { metrics, lines } = create(serving('a'));
          for (const each of asked) metrics.called({ ...call, ...each });
          const series = (await lines()).filter((line) => line.startsWith('mcp_execution_calls_total{'));
          expect(series.length).toBeLessThanOrEqual(3);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('have room for a thousand services and five hundred tools of each, and count the rest together', async () => {
    const { metrics, lines } = create(serving(...Array.from({ length: 1002 }, (_, index) => `s${index}`)));
    for (let index = 0; index < 1002; index++) metrics.called({ ...call, service: `s${index}` });
    for (let index = 0; index < 502; index++) metrics.called({ ...call, service: 's0', tool: `t${index}` });
    const calls = (await lines()).filter((line) => line.startsWith('mcp_execution_calls_total{'));
    expect(calls.filter((line) => line.includes('service="other"'))).toHaveLength(1);
    expect(calls.filter((line) => line.includes('service="s0"'))).toHaveLength(501);
    expect(calls.filter((line) => line.includes('tool="unknown"'))).toHaveLength(2);
  });

  it('forget a service that is gone', async () => {
    let gauges = serving('a', 'b');
    const { metrics, lines } = create(() => gauges);
    for (const service of ['a', 'b']) {
      metrics.called({ ...call, service });
      metrics.cached(service, 'hit');
    }
    await lines();
    gauges = serving('b');
    const page = (await lines()).join('\n');
    expect(page).not.toContain('service="a"');
    expect(page).toContain('service="b"');
  });

  it('measure the process itself too', async () => {
    const { body } = await createMetrics(() => quiet).page();
    expect(body).toContain('nodejs_eventloop_lag_seconds');
  });
});

describe('GET /metrics', () => {
  it('is a page in the form of Prometheus', async () => {
    const metrics = createMetrics(() => quiet, { ofProcess: false });
    const { url } = await startApp([registerMetrics], { parts: { metrics } });
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const page = await answer.text();
    expect(page).toMatch(/^# HELP mcp_execution_calls_total /m);
    for (const line of page.trimEnd().split('\n')) expect(line).toMatch(/^(#.*|[a-z_]+(\{.*\})? [\d.e+-]+)?$/);
  });

  it('is not for a key of single services, unless it is an administrator’s', async () => {
    const principalFor = (client = '') => ({
      ...everybody,
      services: ['a'],
      scopes: new Set(client === 'admin' ? (['admin'] as const) : (['call'] as const)),
    });
    const { url } = await startApp([registerMetrics], { principalFor });
    const refused = await fetch(`${url}/metrics`, { headers: { 'x-test-client': 'tenant' } });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { code: 'NOT_ALLOWED' } });
    expect((await fetch(`${url}/metrics`, { headers: { 'x-test-client': 'admin' } })).status).toBe(200);
  });
});

function serving(...ids: readonly string[]): Gauges {
  const processes = { idle: 1, busy: 0, starts: 1, crashes: 0 };
  return { ...quiet, services: ids.map((id) => ({ id, state: 'ready', breaker: 'closed', processes })) };
}

function create(look: Gauges | (() => Gauges)) {
  const metrics = createMetrics(typeof look === 'function' ? look : () => look, { ofProcess: false });
  return { metrics, lines: async () => (await metrics.page()).body.trimEnd().split('\n') };
}
