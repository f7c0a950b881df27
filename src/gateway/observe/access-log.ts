import { open as openFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Logger, pino } from 'pino';
import { CallerError } from '../../errors.js';
import { traceIdOf } from '../../tracing/traceparent.js';
import type { GatewaySettings } from '../settings.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the access log says of a request whose address does not tell: the tool that was called. */
    calledTool?: string;
  }
}

export interface AccessLog {
  /** Has to be called before the routes are made. */
  register(app: FastifyInstance): void;
  /** Takes the file that the settings name now, opened anew: the old one may have been moved away. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

interface Sink {
  readonly file: string;
  readonly stream: ReturnType<typeof pino.destination>;
  readonly logger: Logger;
}

const longestText = 256;
const stderrDescriptor = 2;
/** What a disk that is too slow has not taken yet; lines beyond it are lost, the gateway is not. */
const maxWaitingBytes = 8 * 1024 * 1024;

/** One line of JSON for each request, whatever became of it. No query, no header but the user agent. */
export async function createAccessLog(settings: () => GatewaySettings): Promise<AccessLog> {
  let sink = await open(settings().accessLog);
  return {
    register(app) {
      app.addHook('onRequest', (request, reply, done) => {
        if (sink) {
          const startedAt = performance.now();
          const { socket } = request.raw;
          const sentBefore = socket.bytesWritten;
          // Told once in any case: when all was sent, and when the client left before.
          reply.raw.once('close', () => {
            const bytes = socket.bytesWritten - sentBefore;
            const isWhole = reply.raw.writableFinished;
            sink?.logger.info(lineOf(request, { status: reply.raw.statusCode, startedAt, bytes, isWhole }));
          });
        }
        done();
      });
    },
    async reopen() {
      const file = settings().accessLog;
      if (sink?.file === file && file !== '-') {
        sink?.stream.reopen();
        return;
      }
      const old = sink;
      sink = await open(file);
      await finish(old);
    },
    async close() {
      const last = sink;
      sink = undefined;
      await finish(last);
    },
  };
}

interface Answered {
  readonly status: number;
  readonly startedAt: number;
  readonly bytes: number;
  readonly isWhole: boolean;
}

function lineOf(request: FastifyRequest, { status, startedAt, bytes, isWhole }: Answered): object {
  const { service, tool } = namesIn(request.params);
  const principal: { readonly name: string } | null | undefined = request.principal;
  return {
    id: request.id,
    ip: request.ip,
    client: principal?.name,
    method: request.method,
    route: request.routeOptions.url,
    path: cut(request.url.split('?', 1)[0] ?? ''),
    service,
    tool: cut(request.calledTool ?? tool),
    status,
    ...(!isWhole && { cut: true }),
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    bytes,
    agent: cut(request.headers['user-agent']),
    trace: traceIdOf(request.headers.traceparent),
  };
}

function namesIn(params: unknown): { readonly service?: string; readonly tool?: string } {
  if (typeof params !== 'object' || params === null) return {};
  const named: { readonly service?: unknown; readonly tool?: unknown } = params;
  return {
    ...(typeof named.service === 'string' && { service: cut(named.service) }),
    ...(typeof named.tool === 'string' && { tool: named.tool }),
  };
}

/** As long as a line needs; JSON makes control characters harmless. */
function cut(text: string | undefined): string | undefined {
  return text === undefined || text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}

async function open(file: string | undefined): Promise<Sink | undefined> {
  if (file === undefined) return undefined;
  if (file !== '-') await proveWritable(file);
  const dest = file === '-' ? stderrDescriptor : file;
  const stream = pino.destination({ dest, sync: false, append: true, mode: 0o600, maxLength: maxWaitingBytes });
  await new Promise<void>((resolve, reject) => {
    stream.once('ready', resolve);
    stream.once('error', (cause) => reject(cannotWrite(file, cause)));
    if (file === '-') resolve();
  });
  // A disk that is full must not end the gateway.
  stream.on('error', () => undefined);
  const logger = pino({ base: null, timestamp: isoTime, formatters: { level: (level) => ({ level }) } }, stream);
  return { file, stream, logger };
}

/** Before there is a stream: one whose file could not be opened throws when the process ends. */
async function proveWritable(file: string): Promise<void> {
  const handle = await openFile(file, 'a', 0o600).catch((cause: unknown) => {
    throw cannotWrite(file, cause);
  });
  await handle.close();
}

function isoTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}

/** What is written is on its way to the file when this resolves. */
async function finish(sink: Sink | undefined): Promise<void> {
  if (sink === undefined) return;
  const { stream, file } = sink;
  await new Promise<void>((resolve) => {
    stream.flush(() => resolve());
  });
  if (file === '-') return;
  await new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.end();
  });
}

function cannotWrite(file: string, cause: unknown): CallerError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `Setting accessLog: ${file} cannot be written: ${reason}`;
  return new CallerError('INVALID_SETTING', message, { setting: 'accessLog' }, { cause });
}
