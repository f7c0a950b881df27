import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { FakeToolbox, untilCancelled } from '../../server/fake-toolbox.js';
import { type Era, optionsOfEra } from '../../server/sdk-client.js';
import type { TestApp } from '../harness.js';

export interface ConnectOptions {
  readonly era?: Era;
  /** The address below the gateway's. */
  readonly path?: string;
  /** Who asks. */
  readonly as?: string;
  readonly options?: ClientOptions;
  /** Breaks the first answer of which a part satisfies this, after that part. */
  readonly cutAfter?: (part: string) => boolean;
}

/** The official client over Streamable HTTP, closed when the test ends. */
export async function connect({ url }: TestApp, options: ConnectOptions = {}) {
  const { era = '2025-11-25', path = '/api/v1/mcp/tools', as } = options;
  const transport = new StreamableHTTPClientTransport(new URL(path, url), {
    requestInit: { headers: { ...(as !== undefined && { 'x-test-client': as }) } },
    ...(options.cutAfter && { fetch: cuttingFetch(options.cutAfter) }),
  });
  const client = new Client({ name: 'test', version: '1' }, { ...optionsOfEra(era), ...options.options });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

/** Like fetch over a network that breaks once. */
function cuttingFetch(isLast: (part: string) => boolean): typeof fetch {
  let isCut = false;
  return async (url, init) => {
    const response = await fetch(url, init);
    const reader = response.body?.getReader();
    if (!reader) return response;
    const decoder = new TextDecoder();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        if (isCut || !isLast(decoder.decode(value))) return;
        isCut = true;
        await reader.cancel();
        controller.error(new Error('the connection was cut'));
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

/** The official client over HTTP with SSE, closed when the test ends. */
export async function connectBySse({ url }: TestApp, path = '/api/v1/sse/tools') {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new SSEClientTransport(new URL(path, url)));
  onTestFinished(() => client.close());
  return client;
}

/** A request of somebody who never heard of MCP. */
export function post(
  { url }: TestApp,
  body: unknown,
  { path = '/api/v1/mcp/tools', headers = {}, signal }: PostOptions = {},
): Promise<Response> {
  return fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

export interface PostOptions {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function callOf(id: string | number, name: string, args: object = {}, meta?: object) {
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, ...(meta && { _meta: meta }) },
  };
}

/** What a client says that takes both forms of an answer. */
export const accept = 'application/json, text/event-stream';

/** Begins a session of the 2025 revisions by hand, and gives back the headers of the requests that follow. */
export async function beginSession(app: TestApp, client?: string, path?: string) {
  const headers = { accept, ...(client !== undefined && { 'x-test-client': client }) };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
  const response = await post(app, body, { headers, ...(path !== undefined && { path }) });
  const id = response.headers.get('mcp-session-id');
  const answer = (await eventsOf(response)).at(-1)?.data;
  if (id === null) throw new Error(`No session: ${response.status} ${answer}`);
  return { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
}

/** A tool that waits until it is cancelled, and tells when it was called and when that came. */
export function createWaiting() {
  const called = createMoment();
  const cancelled = createMoment();
  const wait = untilCancelled(cancelled.come);
  const tools = new FakeToolbox({
    wait: (args, options) => {
      called.come();
      return wait(args, options);
    },
  });
  return { tools, called, cancelled };
}

/** Resolves when it is told to. */
export function createMoment<T = void>() {
  let come: (value: T) => void = () => {};
  const moment = new Promise<T>((resolve) => {
    come = resolve;
  });
  return { moment, come };
}

export interface ReadEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data: string;
}

/** The events of an answer as they come, until it ends. */
export async function* readEvents(response: Response): AsyncGenerator<ReadEvent> {
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = `${rest}${chunk}`.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const event = eventIn(frame);
      if (event) yield event;
    }
  }
}

export async function eventsOf(response: Response): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

/** Comments and the event that only tells an id are none. */
function eventIn(frame: string): ReadEvent | undefined {
  const fields = new Map(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const [event, id] = [fields.get('event'), fields.get('id')];
  return { data, ...(event !== undefined && { event }), ...(id !== undefined && { id }) };
}
