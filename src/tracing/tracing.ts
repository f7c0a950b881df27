import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { ExecutionError } from '../errors.js';
import type { Log } from '../log.js';
import type { RunFigures } from '../toolbox.js';
import { parseTraceParent } from './traceparent.js';

export interface CallFacts {
  readonly service: string;
  readonly tool: string;
  readonly id: string;
  readonly traceparent?: string;
}

export interface CallSpan {
  readonly traceId: string;
  /** What makes another span a part of this one. */
  readonly traceparent?: string;
}

export interface Tracing {
  /** Runs the work within a span that tells what it came to. */
  call<T>(facts: CallFacts, work: (span: CallSpan) => Promise<T>): Promise<T>;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly identity: { readonly name: string; readonly version: string };
  readonly log: Log;
}

/** Long enough for a collector that is there, short enough for one that is not. */
const lastWordsMs = 3000;
const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

/** undefined where no exporter is configured: nothing is loaded then, and a call costs nothing more. */
export async function createTracing({ environment, identity, log }: TracingOptions): Promise<Tracing | undefined> {
  const isWanted = endpointVariables.some((name) => environment[name]) && environment.OTEL_SDK_DISABLED !== 'true';
  if (!isWanted || environment.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const protocol = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol !== undefined && protocol !== 'http/json') {
    log.warn('traces are sent as http/json, the one protocol there is here', { asked: protocol });
  }
  const api = await import('@opentelemetry/api');
  const { provider, tracer } = await createTracer(identity, environment);
  return {
    async call({ service, tool, id, traceparent }, work) {
      const attributes: Attributes = {
        'mcp_execution.service': service,
        'mcp_execution.tool': tool,
        'mcp_execution.request_id': id,
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': tool,
      };
      const kind = api.SpanKind.SERVER;
      const span = tracer.startSpan(`tools/call ${tool}`, { kind, attributes }, contextOf(api, traceparent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      const own = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
      log.info('traced', { request: id, service, tool, trace: traceId });
      try {
        const result = await work({ traceId, traceparent: own });
        tell(span, result, api.SpanStatusCode.ERROR);
        return result;
      } catch (error) {
        const outcome = error instanceof ExecutionError ? error.code : 'INTERNAL';
        span.setAttribute('mcp_execution.outcome', outcome);
        if (error instanceof ExecutionError) span.setAttributes(figuresAsAttributes(error.details.figures));
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: outcome });
        throw error;
      } finally {
        span.end();
      }
    },
    async close() {
      await within(provider.shutdown(), lastWordsMs).catch((error: unknown) =>
        log.warn('the last traces could not be sent', { error }),
      );
    },
  };
}

async function createTracer(
  identity: TracingOptions['identity'],
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly provider: BasicTracerProvider; readonly tracer: Tracer }> {
  const [sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new OTLPTraceExporter({ url: urlOf(environment) });
  const named = { 'service.name': environment.OTEL_SERVICE_NAME || identity.name, 'service.version': identity.version };
  const provider = new sdk.BasicTracerProvider({
    resource: resources.defaultResource().merge(resources.resourceFromAttributes(named)),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  return { provider, tracer: provider.getTracer(identity.name, identity.version) };
}

/** As the specification of the variables says: one is the address itself, the other what it begins with. */
function urlOf(environment: NodeJS.ProcessEnv): string {
  const own = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  return own || `${environment.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '')}/v1/traces`;
}

function contextOf(api: typeof import('@opentelemetry/api'), traceparent: string | undefined): Context {
  const parent = parseTraceParent(traceparent);
  if (parent === undefined) return api.ROOT_CONTEXT;
  const { traceId, spanId, flags } = parent;
  return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true });
}

/** A result says of itself what it came to and what it cost, where it is the result of a tool. */
function tell(span: Span, result: unknown, errorStatus: number): void {
  const { isError, code, figures } = readResult(result);
  const outcome = isError ? (code ?? 'isError') : 'done';
  span.setAttribute('mcp_execution.outcome', outcome);
  span.setAttributes(figuresAsAttributes(figures));
  if (isError) span.setStatus({ code: errorStatus, message: outcome });
}

interface Told {
  readonly isError?: boolean;
  readonly code?: string;
  readonly figures?: Partial<RunFigures>;
}

function readResult(result: unknown): Told {
  if (typeof result !== 'object' || result === null) return {};
  const { isError, code, figures }: { isError?: unknown; code?: unknown; figures?: unknown } = result;
  return {
    isError: isError === true,
    ...(typeof code === 'string' && { code }),
    ...(typeof figures === 'object' && figures !== null && { figures }),
  };
}

function figuresAsAttributes({ queueMs, wallMs, cpuMs, peakMemoryBytes }: Partial<RunFigures> = {}): Attributes {
  return {
    'mcp_execution.queue_ms': queueMs,
    'mcp_execution.wall_ms': wallMs,
    'mcp_execution.cpu_ms': cpuMs,
    'mcp_execution.peak_memory_bytes': peakMemoryBytes,
  };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
