import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** The events of one session, kept so that a client whose connection was cut gets what it missed. */
export interface SessionEvents extends EventStore {
  /** Whether a client that has seen this event last can be given what came after it. */
  knows(eventId: string): boolean;
  /** Forgets what is older than this. */
  expire(before: number): void;
}

interface KeptEvent {
  readonly stream: string;
  readonly number: number;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
  readonly at: number;
}

/** What an event costs beside its text. */
const bytesBeside = 200;

/** The oldest events go first when there are too many; the newest is always kept. Ids are `stream_number`. */
export function createSessionEvents(maxBytes: () => number): SessionEvents {
  let events: KeptEvent[] = [];
  /** The last number of each stream that something is kept of. */
  const streams = new Map<string, number>();
  let bytes = 0;
  let last = 0;

  return {
    async storeEvent(stream, message) {
      const event = { stream, number: ++last, message, bytes: sizeOf(message), at: performance.now() };
      events.push(event);
      streams.set(stream, event.number);
      bytes += event.bytes;
      const most = maxBytes();
      let dropped = 0;
      for (let left = bytes; left > most && dropped < events.length - 1; dropped++) left -= events[dropped]?.bytes ?? 0;
      drop(dropped);
      return `${stream}_${event.number}`;
    },
    async replayEventsAfter(eventId, { send }) {
      const seen = partsOf(eventId);
      if (!seen || !streams.has(seen.stream)) throw new Error('There is no such event');
      // Events that come meanwhile are found too.
      let number = seen.number;
      for (let next = after(seen.stream, number); next; next = after(seen.stream, number)) {
        number = next.number;
        if (Object.keys(next.message).length > 0) await send(`${next.stream}_${next.number}`, next.message);
      }
      return seen.stream;
    },
    knows(eventId) {
      const seen = partsOf(eventId);
      return seen !== undefined && seen.number <= (streams.get(seen.stream) ?? 0);
    },
    expire(before) {
      const first = events.findIndex(({ at }) => at >= before);
      drop(first < 0 ? events.length : first);
    },
  };

  function after(stream: string, number: number): KeptEvent | undefined {
    return events.find((event) => event.number > number && event.stream === stream);
  }

  function drop(count: number): void {
    if (count === 0) return;
    for (const event of events.slice(0, count)) {
      bytes -= event.bytes;
      if (streams.get(event.stream) === event.number) streams.delete(event.stream);
    }
    events = events.slice(count);
  }
}

function sizeOf(message: JSONRPCMessage): number {
  return JSON.stringify(message).length + bytesBeside;
}

function partsOf(eventId: string): { readonly stream: string; readonly number: number } | undefined {
  const [, stream, number] = /^(.+)_(\d{1,15})$/.exec(eventId) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
