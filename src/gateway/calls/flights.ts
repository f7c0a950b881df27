import { onAbort } from '../../queue/abort.js';
import type { ToolResult } from '../../toolbox.js';
import { type Call, endingOf, type Step } from './call.js';
import { tellAll } from './events.js';

/** Calls of the same key share one flight while it lasts. */
export interface Flights {
  readonly size: number;
  /** What was noted of the flight of that key, where there is one. */
  noteOf(key: string): string | undefined;
  fly(ask: Boarding): { readonly isJoined: boolean; readonly answer: Promise<ToolResult> };
}

export interface Boarding {
  readonly key: string;
  readonly call: Call;
  /** Takes the first call of the key; those that join have its answer or its failure. */
  readonly step: Step;
  readonly note?: string;
}

interface Flight {
  readonly members: Set<Call>;
  readonly answer: Promise<ToolResult>;
  readonly hasStarted: boolean;
  readonly note: string;
  abandon(signal: AbortSignal): void;
}

export function createFlights(): Flights {
  const flights = new Map<string, Flight>();
  return {
    get size() {
      return flights.size;
    },
    noteOf: (key) => flights.get(key)?.note,
    fly({ key, call, step, note = '' }) {
      const found = flights.get(key);
      if (found) return { isJoined: true, answer: join(found, call) };
      const flight = startFlight(call, step, note, () => {
        if (flights.get(key) === flight) flights.delete(key);
      });
      flights.set(key, flight);
      return { isJoined: false, answer: board(flight, call) };
    },
  };
}

function startFlight(call: Call, step: Step, note: string, forget: () => void): Flight {
  const members = new Set([call]);
  const controller = new AbortController();
  let hasStarted = false;
  const flown: Call = {
    ...call,
    signal: controller.signal,
    onEvent: (event) =>
      tellAll(
        [...members].map(({ onEvent }) => onEvent),
        event,
      ),
    onStart() {
      hasStarted = true;
      for (const { onStart } of members) onStart();
    },
  };
  // In a later turn, so that whoever starts it knows it before anything comes of it.
  const answer = Promise.resolve()
    .then(() => step(flown))
    .finally(forget);
  return {
    members,
    note,
    answer,
    get hasStarted() {
      return hasStarted;
    },
    abandon(signal) {
      forget();
      controller.abort(endingOf(signal));
    },
  };
}

function join(flight: Flight, call: Call): Promise<ToolResult> {
  flight.members.add(call);
  if (flight.hasStarted) call.onStart();
  return board(flight, call);
}

/** Whoever leaves does not disturb the others; the last one to leave ends the flight, and waits for its end. */
function board({ members, answer, abandon }: Flight, call: Call): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const stopWatching = onAbort(call.signal, () => {
      members.delete(call);
      if (members.size > 0) reject(endingOf(call.signal));
      else abandon(call.signal);
    });
    answer.then(resolve, reject).finally(() => {
      stopWatching();
      members.delete(call);
    });
  });
}
