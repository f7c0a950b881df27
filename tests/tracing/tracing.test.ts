import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostError } from '../../src/errors.js';
import { createLog } from '../../src/log.js';
import type { ToolResult } from '../../src/toolbox.js';
import { parseTraceParent } from '../../src/tracing/traceparent.js';
import { createTracing } from '../../src/tracing/tracing.js';
import { resultOf } from '../cli/fake.js';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const identity = { name: 'mcp-execution', version: '1.2.3' };
const logged: string[] = [];
const log = createLog({ level: 'info', write: (line) => logged.push(line) });
const facts = { service: 'word-count', tool: 'count', id: 'r1' };

describe('tracing', () => {
  it('is not there without an exporter', async () => {
    expect(await createTracing({ environment: {}, identity, log })).toBeUndefined();
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' };
    expect(await createTracing({ environment, identity, log })).toBeUndefined();
  });

  it('sends a span for each call, with what it came to and cost, as a child of the one it came from', async () => {
    const collector = await startCollector();
    const tracing = await collector.createTracing();
    const { figures } = resultOf(null);
    const result: ToolResult = { content: [], figures: { ...figures, queueMs: 3, cpuMs: 7, peakMemoryBytes: 99 } };
    const seen: string[] = [];
    const given = await tracing?.call({ ...facts, traceparent: parent }, async ({ traceId }) => {
      seen.push(traceId);
      return result;
    });
    await tracing?.close();
    expect(given).toBe(result);
    expect(seen).toEqual(['4bf92f3577b34da6a3ce929d0e0e4736']);
    const { span, attributes, resource } = collector.only();
    expect(span).toMatchObject({
      name: 'tools/call count',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '00f067aa0ba902b7',
    });
    expect(attributes).toMatchObject({
      'mcp_execution.service': 'word-count',
      'mcp_execution.tool': 'count',
      'mcp_execution.request_id': 'r1',
      'mcp_execution.outcome': 'done',
      'mcp_execution.queue_ms': 3,
      'mcp_execution.cpu_ms': 7,
      'mcp_execution.peak_memory_bytes': 99,
    });
    expect(resource).toMatchObject({ 'service.name': 'mcp-execution', 'service.version': '1.2.3' });
    expect(collector.paths).toEqual(['/v1/traces']);
  });

  it.each([
    ['an error', () => Promise.reject(new HostError('QUEUE_FULL', 'full')), 'QUEUE_FULL'],
    [
      'a result that is one',
      async (): Promise<ToolResult> => ({ content: [], isError: true, code: 'TIMEOUT' }),
      'TIMEOUT',
    ],
    ['what nobody foresaw', () => Promise.reject(new Error('odd')), 'INTERNAL'],
  ])('tells of %s by its code, and hands it on', async (_, work: () => Promise<unknown>, outcome) => {
    const collector = await startCollector();
    const tracing = await collector.createTracing();
    const [direct, traced] = await Promise.allSettled([work(), tracing?.call(facts, work)]);
    await tracing?.close();
    expect(traced).toEqual(direct);
    const { span, attributes } = collector.only();
    expect(attributes['mcp_execution.outcome']).toBe(outcome);
    expect(span.status).toMatchObject({ code: 2 });
  });

  it('begins a trace of its own, which the log names, where a call came from none that is in its form', async () => {
    const collector = await startCollector();
    const tracing = await collector.createTracing();
    await tracing?.call({ ...facts, traceparent: 'nonsense' }, async () => null);
    await tracing?.close();
    const { span } = collector.only();
    expect(span.parentSpanId ?? '').toBe('');
    expect(logged.join('')).toContain(`"request":"r1","service":"word-count","tool":"count","trace":"${span.traceId}"`);
  });

  it('holds up neither calls nor the end where the collector is gone', async () => {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    const tracing = await createTracing({ environment, identity, log });
    expect(await tracing?.call(facts, async () => 1)).toBe(1);
    await tracing?.close();
  });
});

describe('a traceparent', () => {
  it.each([
    [parent, { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', flags: 1 }],
    [`cc${parent.slice(2)}-what-comes-later`, expect.objectContaining({ flags: 1 })],
    [`ff${parent.slice(2)}`, undefined],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
    [`00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`, undefined],
    [parent.toUpperCase(), undefined],
    ['', undefined],
    [undefined, undefined],
    [[parent, parent], undefined],
  ])('%j is read as %j', (header, expected) => {
    expect(parseTraceParent(header)).toEqual(expected);
  });
});

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number };
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly Attribute[];
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** Takes traces as an OpenTelemetry collector does, and keeps them. */
async function startCollector() {
  const sent: Sent[] = [];
  const paths: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    paths.push(request.url);
    sent.push(JSON.parse(await text(request)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    paths,
    createTracing: () =>
      createTracing({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/` }, identity, log }),
    only() {
      const [resourceSpan] = sent.flatMap(({ resourceSpans }) => resourceSpans);
      const spans = resourceSpan?.scopeSpans.flatMap((scope) => scope.spans) ?? [];
      const [span] = spans;
      if (!span || spans.length !== 1 || !resourceSpan) throw new Error(`${spans.length} spans were sent`);
      return { span, attributes: asObject(span.attributes), resource: asObject(resourceSpan.resource.attributes) };
    },
  };
}

function asObject(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
