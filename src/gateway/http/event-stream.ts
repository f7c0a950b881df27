import type { ServerResponse } from 'node:http';
import type { EventFrame, EventStream } from '../parts.js';

export interface EventStreamOptions {
  readonly response: ServerResponse;
  readonly status: number;
  readonly headers: NodeJS.Dict<number | string | string[]>;
  readonly first?: EventFrame;
  readonly maxUnsentBytes: () => number;
  /** Told with the number of bytes of each write. */
  readonly onSent: (bytes: number) => void;
  /** Told when the client reads too slowly, and was cut for it. */
  readonly onCut: () => void;
}

export interface KeptStream extends EventStream {
  /** Says something where nothing was said since then; cuts a client that has read nothing for as long. */
  beat(now: number, heartbeatMs: number): void;
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
} as const;

/** A client that takes nothing for so many heartbeats is not there any more. */
const patienceInBeats = 4;

export function openEventStream(options: EventStreamOptions): KeptStream {
  const { response, headers, first, status } = options;
  const ended = new AbortController();
  let lastSentAt = performance.now();
  let blockedSince: number | undefined;
  let room: { readonly promise: Promise<void>; readonly make: () => void } | undefined;

  response.on('drain', unblock);
  response.on('error', end);
  response.on('close', end);
  response.writeHead(status, { ...headers, ...streamHeaders });
  response.socket?.setNoDelay(true);
  write(first ? textOfFrame(first) : ': open\n\n');

  return {
    send: (frame) => write(textOfFrame(frame)),
    write,
    closed: ended.signal,
    close() {
      if (ended.signal.aborted) return;
      response.end();
      end();
    },
    beat(now, heartbeatMs) {
      if (blockedSince !== undefined && now - blockedSince > heartbeatMs * patienceInBeats) return cut();
      if (blockedSince === undefined && now - lastSentAt >= heartbeatMs) write(': beat\n\n');
    },
  };

  function write(text: string): Promise<void> | undefined {
    if (ended.signal.aborted) return undefined;
    lastSentAt = performance.now();
    options.onSent(Buffer.byteLength(text));
    if (response.write(text)) return undefined;
    if (response.writableLength > options.maxUnsentBytes()) {
      cut();
      return undefined;
    }
    blockedSince ??= lastSentAt;
    room ??= createRoom();
    return room.promise;
  }

  function unblock(): void {
    blockedSince = undefined;
    room?.make();
    room = undefined;
  }

  function cut(): void {
    options.onCut();
    response.destroy();
    end();
  }

  function end(): void {
    ended.abort();
    unblock();
  }
}

export function textOfFrame({ event, id, data }: EventFrame): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  const head = `${event === undefined ? '' : `event: ${oneLine(event)}\n`}${id === undefined ? '' : `id: ${oneLine(id)}\n`}`;
  return `${head}${lines.join('')}\n`;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, '');
}

function createRoom() {
  let make = (): void => {};
  const promise = new Promise<void>((resolve) => {
    make = resolve;
  });
  return { promise, make };
}
