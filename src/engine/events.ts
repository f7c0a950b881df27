import type { CallEvent, OnEvent } from '../toolbox.js';

/** Tells a caller of an event. What the caller's own code throws is not the script's fault and ends nothing. */
export function tellEvent(onEvent: OnEvent | undefined, event: CallEvent): Promise<void> | undefined {
  if (!onEvent) return undefined;
  try {
    return onEvent(event)?.catch(() => {});
  } catch {
    return undefined;
  }
}
