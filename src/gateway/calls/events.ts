import type { CallEvent, OnEvent } from '../../toolbox.js';

/** Tells of an event. What the listener's own code throws ends nothing. */
export function tellEvent(onEvent: OnEvent | undefined, event: CallEvent): Promise<void> | undefined {
  try {
    return onEvent?.(event)?.catch(() => {});
  } catch {
    return undefined;
  }
}

/** One listener for several; resolves when the slowest has room. */
export function tellAll(listeners: Iterable<OnEvent | undefined>, event: CallEvent): Promise<void> | undefined {
  const waits = [...listeners].map((listener) => tellEvent(listener, event)).filter((wait) => wait !== undefined);
  return waits.length > 1 ? Promise.all(waits).then(() => {}) : waits[0];
}
