import type { TimedEvent } from './testedserver.js';

/** Events of one request, as many as are kept of each type: a server may send more than there is memory for. */
export interface KeptEvents {
  readonly events: readonly TimedEvent[];
  /** Types of which some were left out. */
  readonly leftOut: readonly EventType[];
  /** Whether there was room for it. */
  keep(event: TimedEvent): boolean;
}

export type EventType = TimedEvent['type'];

const mostOfType = 10_000;
const mostCharactersOfType = 32 * 1024 * 1024;

export function createKeptEvents(): KeptEvents {
  const events: TimedEvent[] = [];
  const rooms = new Map<EventType, { events: number; characters: number }>();
  const leftOut = new Set<EventType>();
  return {
    events,
    get leftOut() {
      return [...leftOut];
    },
    keep(event) {
      const room = rooms.get(event.type) ?? { events: mostOfType, characters: mostCharactersOfType };
      rooms.set(event.type, room);
      const length = lengthOf(event, room.characters);
      if (room.events === 0 || length > room.characters || leftOut.has(event.type)) {
        leftOut.add(event.type);
        return false;
      }
      room.events -= 1;
      room.characters -= length;
      events.push(event);
      return true;
    },
  };
}

const charactersOfOne = 8;

/** About as many characters as it has in JSON, counted until there are more than `most`. */
function lengthOf(event: TimedEvent, most: number): number {
  // A list in place of calls, as what servers say may be nested deeper than a stack is.
  const left: unknown[] = [event];
  let length = 0;
  while (left.length > 0 && length <= most) {
    const value = left.pop();
    length += typeof value === 'string' ? value.length : charactersOfOne;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      if (length + value.length * charactersOfOne > most) return most + 1;
      for (const each of value) left.push(each);
      continue;
    }
    for (const [key, each] of Object.entries(value)) {
      length += key.length;
      left.push(each);
    }
  }
  return length;
}
