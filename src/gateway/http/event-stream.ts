import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { EventFrame, EventStream } from '../parts.js';
import { endWhenStuck } from './answers.js';

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
/** The same for what is unsent when the stream is closed. */
const longestLastWordsMs = 30_000;
/** Of a longer event, nobody would see that the client reads it, and how fast. */
const pieceBytes = 64 * 1024;

/** One for all, because making one takes a look at the stack. */
const theEnd = new Error('The event stream has ended');

/** Events that are all there already, as one answer. */
export function sendEvents(
  reply: FastifyReply,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): void {
  reply.hijack();
  const length = { 'content-length': Buffer.byteLength(text) };
  const all: NodeJS.Dict<number | string | string[]> = {
    ...reply.getHeaders(),
    ...headers,
    ...streamHeaders,
    ...length,
  };
  reply.raw.writeHead(status, all);
  endWhenStuck(reply.raw, longestLastWordsMs);
  reply.raw.end(text);
}

export function openEventStream(options: EventStreamOptions): KeptStream {
  const { response, headers, first, status } = options;
  const ended = new AbortController();
  const pieces: Buffer[] = [];
  let lastSentAt = performance.now();
  let blockedSince: number | undefined;
  let room: { readonly promise: Promise<void>; readonly make: () => void } | undefined;

  response.on('drain', goOn);
  response.on('error', end);
  response.on('close', end);
  if (response.destroyed) end();
  response.writeHead(status, { ...headers, ...streamHeaders });
  response.socket?.setNoDelay(true);
  write(first ? textOfFrame(first) : ': open\n\n');

  return {
    send: (frame) => write(textOfFrame(frame)),
    write,
    closed: ended.signal,
    close() {
      if (ended.signal.aborted) return;
      for (const piece of pieces.splice(0)) response.write(piece);
      endWhenStuck(response, longestLastWordsMs);
      response.end();
      end();
    },
    beat(now, heartbeatMs) {
      if (blockedSince !== undefined && now - blockedSince > heartbeatMs * patienceInBeats) return cut();
      if (blockedSince === undefined && now - lastSentAt >= heartbeatMs) write(': beat\n\n');
    },
  };

  /** However long a text is, it cuts nobody: what counts is what was unsent before. */
  function write(text: string): Promise<void> | undefined {
    if (ended.signal.aborted || text === '') return undefined;
    if (unsentBytes() > options.maxUnsentBytes()) {
      cut();
      return undefined;
    }
    lastSentAt = performance.now();
    options.onSent(Buffer.byteLength(text));
    if (passOn(text)) return undefined;
    blockedSince ??= lastSentAt;
    room ??= createRoom();
    return room.promise;
  }

  function unsentBytes(): number {
    return pieces.reduce((total, { length }) => total + length, response.writableLength);
  }

  /** False where it has to wait. */
  function passOn(text: string): boolean {
    if (pieces.length === 0 && text.length <= pieceBytes) return response.write(text);
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += pieceBytes)
      pieces.push(bytes.subarray(start, start + pieceBytes));
    return blockedSince === undefined && passPieces();
  }

  function passPieces(): boolean {
    let hasRoom = true;
    while (hasRoom && pieces.length > 0) hasRoom = response.write(pieces.shift());
    return hasRoom;
  }

  function goOn(): void {
    if (passPieces()) unblock();
    else blockedSince = performance.now();
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
    ended.abort(theEnd);
    pieces.length = 0;
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
