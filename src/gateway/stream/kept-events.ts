/** What a stream has to say, without the id that its number becomes. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: string;
}

export interface KeptEvent extends StreamEvent {
  readonly number: number;
}

/** The newest events of a stream, numbered from 1. */
export interface KeptEvents {
  /** The number of the newest event; 0 while there was none. */
  readonly last: number;
  add(event: StreamEvent): void;
  /** The oldest one kept that is newer than that; numbers between them are of events that are not kept any more. */
  after(number: number): KeptEvent | undefined;
  /** The size of all that are newer than that. */
  bytesAfter(number: number): number;
}

/** What an event takes beside its data. */
const overheadBytes = 128;

interface Sized extends KeptEvent {
  /** The size of all events up to this one, those that are gone included. */
  readonly endsAt: number;
}

/** Drops the oldest beyond the size; the newest is kept whatever its size, and does not count. */
export function createKeptEvents(maxBytes: () => number): KeptEvents {
  const events = new Map<number, Sized>();
  let first = 1;
  let last = 0;
  let startsAt = 0;
  let endsAt = 0;

  return {
    get last() {
      return last;
    },
    add(event) {
      const olderEndAt = endsAt;
      last += 1;
      endsAt += Buffer.byteLength(event.data) + overheadBytes;
      events.set(last, { ...event, number: last, endsAt });
      while (first < last && olderEndAt - startsAt > maxBytes()) drop();
    },
    after: (number) => events.get(Math.max(first, number + 1)),
    bytesAfter: (number) => (number >= last ? 0 : endsAt - (events.get(number)?.endsAt ?? startsAt)),
  };

  function drop(): void {
    startsAt = events.get(first)?.endsAt ?? startsAt;
    events.delete(first);
    first += 1;
  }
}
