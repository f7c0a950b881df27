import { textOfFrame } from '../http/event-stream.js';
import type { EventStream } from '../parts.js';
import { createKeptEvents, type KeptEvent, type StreamEvent } from './kept-events.js';

export interface ChannelOptions {
  readonly id: string;
  /** Size of the events that are kept for a client that comes back. */
  readonly maxBytes: () => number;
  /** Told when nobody listens any more. */
  readonly onAlone: () => void;
}

/** The events of one stream on their way to whoever listens to it, from one connection to the next. */
export interface Channel {
  /** The number of the newest event. */
  readonly last: number;
  readonly hasListener: boolean;
  /** Nothing will follow, and the stream is closed once all has been heard. */
  readonly isComplete: boolean;
  /** From the event after that number on; whoever listened before is closed. */
  listen(stream: EventStream, after: number): void;
  leave(): void;
  /** A promise is to be waited for: too much is unsent. */
  send(event: StreamEvent): Promise<void> | undefined;
  /** The same, but waits first. */
  sendWhenRoom(event: StreamEvent): Promise<void>;
  complete(): void;
  end(): void;
}

export function createChannel({ id, maxBytes, onAlone }: ChannelOptions): Channel {
  const kept = createKeptEvents(maxBytes);
  let listener: EventStream | undefined;
  let sending: EventStream | undefined;
  let sent = 0;
  let isComplete = false;
  let isEnded = false;
  let room: Room | undefined;

  return {
    get last() {
      return kept.last;
    },
    get hasListener() {
      return listener !== undefined;
    },
    get isComplete() {
      return isComplete;
    },
    listen(stream, after) {
      leave();
      listener = stream;
      sent = after;
      stream.closed.addEventListener('abort', () => forget(stream), { once: true });
      if (stream.closed.aborted) forget(stream);
      else pass(stream);
    },
    leave,
    send,
    async sendWhenRoom(event) {
      while (isFull()) await waitForRoom();
      send(event);
    },
    complete() {
      isComplete = true;
      if (listener) pass(listener);
    },
    end() {
      isEnded = true;
      leave();
      makeRoom();
    },
  };

  function send(event: StreamEvent): Promise<void> | undefined {
    if (isEnded) return undefined;
    kept.add(event);
    if (listener) pass(listener);
    return isFull() ? waitForRoom() : undefined;
  }

  function leave(): void {
    listener?.close();
  }

  function forget(stream: EventStream): void {
    if (listener !== stream) return;
    listener = undefined;
    onAlone();
  }

  function pass(stream: EventStream): void {
    if (sending !== stream) void sendAll(stream);
  }

  async function sendAll(stream: EventStream): Promise<void> {
    sending = stream;
    for (let next = kept.after(sent); next && listener === stream; next = kept.after(sent)) {
      const held = sendOne(stream, next);
      makeRoom();
      if (held) await held;
    }
    if (sending === stream) sending = undefined;
    if (isComplete && listener === stream && sent >= kept.last) stream.close();
  }

  function sendOne(stream: EventStream, { number, event, data }: KeptEvent): Promise<void> | undefined {
    if (number > sent + 1) void stream.send(gap(sent + 1, number - 1));
    sent = number;
    return stream.write(textOfFrame({ id: `${id}.${number}`, ...(event !== undefined && { event }), data }));
  }

  /** It has the id of the last event that is missing, so that whoever comes back after it is told once. */
  function gap(from: number, to: number) {
    return { event: 'gap', id: `${id}.${to}`, data: JSON.stringify({ lost: to - from + 1, from, to }) };
  }

  /** The other half is for what was on its way when a connection broke. */
  function isFull(): boolean {
    return !isEnded && kept.bytesAfter(sent) > maxBytes() / 2;
  }

  function waitForRoom(): Promise<void> {
    room ??= createRoom();
    return room.promise;
  }

  function makeRoom(): void {
    if (isFull()) return;
    room?.make();
    room = undefined;
  }
}

interface Room {
  readonly promise: Promise<void>;
  make(): void;
}

function createRoom(): Room {
  let make = (): void => {};
  const promise = new Promise<void>((resolve) => {
    make = resolve;
  });
  return { promise, make };
}
