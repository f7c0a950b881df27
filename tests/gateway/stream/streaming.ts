import type { Area } from '../../../src/gateway/parts.js';
import { createStreams } from '../../../src/gateway/stream/stream.js';
import type { OnEvent } from '../../../src/toolbox.js';
import { FakeToolbox, type text } from '../../server/fake-toolbox.js';

import { startApp, type TestApp, type TestAppOptions } from '../harness.js';
import { type HeardEvent, type Listener, type ListenOptions, listen, said } from './listener.js';

/** Streams, with the POST that reaches them. */
export const streamArea: Area = async (app, parts) => {
  const streams = createStreams(parts);
  await streams.register(app, parts);
  app.post('/api/v1/mcp/:service', { config: { scope: 'call' } }, async (request, reply) => {
    if (!(await streams.accept(request, reply, request.body))) reply.code(501).send();
    return reply;
  });
};

export interface Client {
  readonly listener: Listener;
  readonly stream: string;
  post(message: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  call(id: string | number, name: string, args?: object): Promise<Response>;
  /** The frame that answers a request. */
  answer(id: string | number): Promise<Record<string, unknown>>;
  /** The same stream over another connection, from what was heard last. */
  reconnect(lastId?: string): Promise<Listener>;
}

export interface StreamApp {
  readonly app: TestApp;
  open(query?: string, options?: ListenOptions): Promise<Client>;
}

export async function startStreams(toolbox: FakeToolbox, options: TestAppOptions = {}): Promise<StreamApp> {
  const app = await startApp([streamArea], { services: { demo: toolbox }, ...options });
  return { app, open: (query, listenOptions) => openStream(app.url, query, listenOptions) };
}

/** A stream of the service demo, at a gateway or what stands before it. */
export async function openStream(url: string, query = '', options: ListenOptions = {}): Promise<Client> {
  const address = `${url}/api/v1/stream/demo`;
  const listener = await listen(`${address}${query}`, options);
  const { stream, post: path } = said(await listener.next(({ event }) => event === 'stream'));
  const post = (message: unknown, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...options.headers, ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
  return {
    listener,
    stream: String(stream),
    post,
    call: (id, name, args = {}) =>
      post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }),
    answer: async (id) => said(await listener.next((event) => isAnswer(said(event), id))),
    reconnect: (lastId = listener.lastId) =>
      listen(address, { ...options, headers: { ...options.headers, 'last-event-id': lastId } }),
  };
}

export function isAnswer(frame: Record<string, unknown>, id: string | number): boolean {
  return frame.id === id && ('result' in frame || 'error' in frame);
}

/** A tool whose output and end are in the hands of the test. */
export function createPuppet() {
  let onEvent: OnEvent = () => {};
  let finish: (result: ReturnType<typeof text>) => void = () => {};
  const begun = createSignal();
  const toolbox = new FakeToolbox({
    work: (_args, options) =>
      new Promise((resolve, reject) => {
        onEvent = options.onEvent ?? onEvent;
        finish = resolve;
        options.signal?.addEventListener('abort', () => reject(new Error('cancelled')));
        begun.give();
      }),
  });
  const print = (line: string) => onEvent({ type: 'output', stream: 'stdout', line });
  return { toolbox, begun: begun.given, print, finish: (result: ReturnType<typeof text>) => finish(result) };
}

/** Something that happens once, and can be waited for. */
export function createSignal() {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** The lines of output among events. */
export function linesIn(events: readonly HeardEvent[]): unknown[] {
  return events.map((event) => said(event).data).filter((line) => line !== undefined);
}
