import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type JSONRPCMessage,
  type McpServer,
  parseJSONRPCMessage,
  type Server,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createServer } from './servers/sdk_server.mjs';

export type Handle = (request: Request) => Promise<Response>;

/** Lets a handler of web requests answer those of Node. */
export async function serve(handle: Handle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value);
  const body = request.method === 'POST' ? Buffer.concat(chunks) : undefined;
  const asked = new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method,
    headers,
    body,
    signal: gone.signal,
  });
  const { status, headers: given, body: stream } = await handle(asked);
  response.writeHead(status, Object.fromEntries(given)).flushHeaders();
  const reader = stream?.getReader();
  gone.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}));
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) response.write(part.value);
  } catch {
    // The client is gone.
  }
  response.end();
}

export function withSessions(create: () => McpServer | Server = createServer): {
  readonly handle: Handle;
  readonly sessions: Map<string, WebStandardStreamableHTTPServerTransport>;
} {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return {
    sessions,
    async handle(request) {
      const id = request.headers.get('mcp-session-id');
      const known = id === null ? undefined : sessions.get(id);
      if (known) return known.handleRequest(request);
      if (id !== null) return new Response('unknown session', { status: 404 });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, transport),
        onsessionclosed: (session) => void sessions.delete(session),
      });
      await create().connect(transport);
      return transport.handleRequest(request);
    },
  };
}

/** The protocol as it was before Streamable HTTP: a stream by GET, whose first event says where to post. */
export function legacySse(): Handle {
  const encoder = new TextEncoder();
  const posts = new Map<string, (message: JSONRPCMessage) => void>();
  return async (request) => {
    const url = new URL(request.url);
    const session = url.searchParams.get('session');
    if (request.method === 'POST') {
      const post = session === null ? undefined : posts.get(session);
      if (!post) return new Response('no such address', { status: 405 });
      post(parseJSONRPCMessage(await request.json()));
      return new Response('Accepted', { status: 202 });
    }
    const id = randomUUID();
    const stream = new ReadableStream({
      async start(controller) {
        const send = (event: string, data: string) =>
          controller.enqueue(encoder.encode(`event: ${event}\ndata: ${data}\n\n`));
        const transport: Transport = {
          async start() {},
          async send(message) {
            send('message', JSON.stringify(message));
          },
          async close() {},
        };
        await createServer().connect(transport);
        posts.set(id, (message) => transport.onmessage?.(message));
        send('endpoint', `/mcp?session=${id}`);
      },
    });
    return new Response(stream, { status: 200, headers: { 'content-type': 'text/event-stream' } });
  };
}
