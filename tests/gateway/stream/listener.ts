import { type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';

export interface HeardEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** A client of an event stream that can be cut off at any moment. */
export interface Listener {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: readonly HeardEvent[];
  /** Comments, which is what heartbeats are. */
  readonly comments: readonly string[];
  /** The first event that fits, also one that was heard already. */
  next(fits: (event: HeardEvent) => boolean): Promise<HeardEvent>;
  /** Resolves when so many comments were heard. */
  commented(count: number): Promise<void>;
  /** Resolves when the answer has ended, by whichever side. */
  readonly closed: Promise<void>;
  readonly lastId: string;
  pause(): void;
  resume(): void;
  cut(): void;
}

export interface ListenOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
  /** The address to connect from. */
  readonly localAddress?: string;
}

export function listen(url: string, options: ListenOptions = {}): Promise<Listener> {
  const { headers = {}, method = 'GET', body, localAddress } = options;
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method,
      headers: { accept: 'text/event-stream', ...headers },
      agent: false,
      localAddress,
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      asked.on('error', () => {});
      resolve(listenTo(response, () => asked.destroy()));
    });
    asked.end(body);
    onTestFinished(() => void asked.destroy());
  });
}

function listenTo(response: IncomingMessage, cut: () => void): Listener {
  const events: HeardEvent[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  const pieces: string[] = [];
  const state = { lastId: '', isClosed: false };
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      state.isClosed = true;
      resolve();
      wake();
    });
  });
  response.on('error', () => {});
  response.setEncoding('utf8').on('data', (text: string) => {
    pieces.push(text);
    if (!text.endsWith('\n')) return;
    const blocks = pieces.splice(0).join('').split('\n\n');
    const rest = blocks.pop() ?? '';
    if (rest !== '') pieces.push(rest);
    for (const block of blocks) read(block);
    if (blocks.length > 0) wake();
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments,
    next(fits) {
      let looked = 0;
      const look = () => {
        while (looked < events.length) {
          const event = events[looked++];
          if (event && fits(event)) return event;
        }
        return undefined;
      };
      return until(look, 'the event did not come');
    },
    commented: async (count) => void (await until(() => (comments.length >= count ? true : undefined), 'no comments')),
    closed,
    get lastId() {
      return state.lastId;
    },
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    cut,
  };

  function read(block: string): void {
    const fields = new Map<string, string[]>();
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) comments.push(line.slice(1).trim());
      const [, name, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
      if (name) fields.set(name, [...(fields.get(name) ?? []), value]);
    }
    state.lastId = fields.get('id')?.at(-1) ?? state.lastId;
    const data = fields.get('data');
    if (data) events.push({ event: fields.get('event')?.at(-1) ?? 'message', id: state.lastId, data: data.join('\n') });
  }

  function until<T>(find: () => T | undefined, otherwise: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined && !state.isClosed) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`${otherwise}; heard: ${JSON.stringify(events).slice(0, 2000)}`));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
  }
}

/** What the data of an event says, as JSON. */
export function said(event: HeardEvent | undefined): Record<string, unknown> {
  const value: unknown = JSON.parse(event?.data ?? 'null');
  return typeof value === 'object' && value !== null ? { ...value } : { value };
}
