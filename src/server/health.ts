import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CallerError, ExecutionError } from '../errors.js';

export interface HealthOptions {
  /** 0 takes one that is free. */
  readonly port: number;
  readonly host?: string;
  /** Resolves when a call can pass; rejects with the reason why it cannot. */
  readonly probe: () => Promise<void>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Health {
  readonly status: 'ready' | 'starting' | 'failing';
  readonly reason?: string;
  readonly probeMs?: number;
}

const keptMs = 1000;
/** A probe that takes longer than this is answered as it stands. */
const answerWithinMs = 2000;

/** Answers `GET /health`: 200 once a probe has passed, 503 until then and while it does not. */
export async function serveHealth({ port, host = '127.0.0.1', probe }: HealthOptions): Promise<HealthServer> {
  const healthNow = createHealth(probe);
  const server = createServer((request, response) => {
    respond(request, response, healthNow).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    // Kept for good: a connection that cannot be taken is an error of the server too, and must not end the process.
    server.on('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(port, cause)));
    server.listen(port, host, resolve);
  });
  server.unref();
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One probe at a time, whose outcome is kept for a moment: many who ask cost no more than one. */
function createHealth(probe: () => Promise<void>): () => Promise<Health> {
  let last: Health = { status: 'starting', reason: 'No call has passed through yet' };
  let lastAt = Number.NEGATIVE_INFINITY;
  let probing: Promise<void> | undefined;

  return async () => {
    if (performance.now() - lastAt < keptMs) return last;
    probing ??= look().finally(() => {
      probing = undefined;
    });
    return within(probing.then(() => last));
  };

  async function look(): Promise<void> {
    const startedAt = performance.now();
    try {
      await probe();
      last = { status: 'ready', probeMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      last = { status: 'failing', reason: reasonOf(error) };
    }
    lastAt = performance.now();
  }

  async function within(answer: Promise<Health>): Promise<Health> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Health>((resolve) => {
      const status = last.status === 'starting' ? 'starting' : 'failing';
      timer = setTimeout(
        () => resolve({ status, reason: `No call passed within ${answerWithinMs} ms` }),
        answerWithinMs,
      );
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function respond(request: IncomingMessage, response: ServerResponse, healthNow: () => Promise<Health>) {
  request.resume();
  if (request.url?.split('?', 1)[0] !== '/health') return send(response, 404, { error: 'There is /health only' });
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return send(response, 405, { error: '/health is read with GET' });
  }
  const health = await healthNow();
  send(response, health.status === 'ready' ? 200 : 503, health);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}

/** The sentence of an error that is made to be read; of others only that they happened. */
function reasonOf(error: unknown): string {
  return error instanceof ExecutionError ? `${error.code}: ${error.message}` : 'The probe failed unexpectedly';
}

function cannotListen(port: number, cause: NodeJS.ErrnoException): CallerError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is in use; choose another, or 0 for one that is free',
    EACCES: 'may not be used by this user; choose one above 1023',
  };
  const reason = reasons[cause.code ?? ''] ?? `cannot be listened on (${cause.code ?? cause.message})`;
  return new CallerError(
    'INVALID_SETTING',
    `--health-port: port ${port} ${reason}`,
    { setting: 'healthPort' },
    { cause },
  );
}
