import { createKeptEvents } from '../../keptevents.js';
import { onAbort } from '../../queue/abort.js';
import type { NotificationEvent, TestedServer } from '../../testedserver.js';
import { createPatience } from '../expect/other-notifications.js';
import type { Expect } from '../suite/schema-expect.js';
import type { Sent } from './request.js';
import { acknowledged, subscribe } from './subscription.js';

const longestWaitMs = 5000;

export interface WaitOptions {
  readonly server: TestedServer;
  /** Time that the answer may take; what comes after it is not waited for longer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request, and waits after its answer for notifications that are expected and not there yet. */
export async function withLateNotifications(
  expected: NonNullable<Expect['notifications']>,
  send: () => Promise<Sent>,
  { server, timeoutMs, signal }: WaitOptions,
): Promise<Sent> {
  const patience = createPatience(expected);
  if (patience.isOver) return send();
  const unsubscribe = await subscribe(server, expected, signal);
  const began = performance.now();
  const heard = createKeptEvents();
  let notice = (): void => {};
  const stop = server.listen((event: NotificationEvent) => {
    if (event.method === acknowledged) return;
    heard.keep({ ...event, atMs: performance.now() - began });
    patience.hear(event);
    notice();
  });
  try {
    const sent = await send();
    if (sent.exchange.outcome.kind !== 'none') await wait();
    const others = sent.exchange.events.filter(({ type }) => type !== 'notification');
    const events = [...others, ...heard.events].toSorted((one, other) => one.atMs - other.atMs);
    const leftOut = [...new Set([...(sent.exchange.leftOut ?? []), ...heard.leftOut])];
    return { ...sent, exchange: { ...sent.exchange, events, ...(leftOut.length > 0 && { leftOut }) } };
  } finally {
    stop();
    unsubscribe();
  }

  async function wait(): Promise<void> {
    let stopWaiting = (): void => {};
    await new Promise<void>((resolve) => {
      notice = () => {
        if (patience.isOver || signal?.aborted) resolve();
      };
      const timer = setTimeout(resolve, Math.min(timeoutMs, longestWaitMs));
      const stopWatching = onAbort(signal, resolve);
      stopWaiting = () => {
        clearTimeout(timer);
        stopWatching();
      };
      void server.ended.then(() => resolve());
      notice();
    });
    stopWaiting();
  }
}
