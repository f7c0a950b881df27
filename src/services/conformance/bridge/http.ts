import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../../../log.js';

export interface HttpDoor {
  /** The origin, without a path. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers a request whose body was read; the body of a POST that is no JSON never gets here. */
export type AnswerRequest = (request: Request, body: unknown) => Promise<Response>;

const maxBodyBytes = 16 * 1024 * 1024;

/** Listens on a free port that only this machine reaches. The signal of a request aborts when its client is gone. */
export async function openDoor(answer: AnswerRequest, log: Log): Promise<HttpDoor> {
  const server = createServer((incoming, response) => {
    serve(incoming, response, answer).catch((error: unknown) => {
      log.debug('a request to the bridge failed', { error });
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An answer in the form that MCP clients read, under the id of the request where that is known. */
export function refusal(
  status: number,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
  id: string | number | null = null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', id, error }, { status, headers });
}

async function serve(incoming: IncomingMessage, response: ServerResponse, answer: AnswerRequest): Promise<void> {
  const bytes = await readBody(incoming);
  const request = requestOf(incoming, goneSignal(response));
  const made = await answered(request, bytes, answer);
  response.writeHead(made.status, Object.fromEntries(made.headers));
  if (made.body === null) {
    response.end();
    return;
  }
  response.flushHeaders();
  // A client that leaves ends the stream that it was reading.
  await pipeline(made.body, response).catch(() => {});
}

async function answered(request: Request, bytes: Buffer | undefined, answer: AnswerRequest): Promise<Response> {
  if (bytes === undefined) {
    return refusal(413, { code: -32_000, message: `The body has more than ${maxBodyBytes} bytes, which is the limit` });
  }
  if (request.method !== 'POST') return answer(request, undefined);
  try {
    return await answer(request, JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError)
      return refusal(400, { code: -32_700, message: 'Parse error: the body is not JSON' });
    throw error;
  }
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  return bytes > maxBodyBytes ? undefined : Buffer.concat(chunks);
}

function requestOf({ method, url, headers }: IncomingMessage, signal: AbortSignal): Request {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) passed.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request(new URL(url ?? '/', 'http://127.0.0.1'), { method, headers: passed, signal });
}

function goneSignal(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
