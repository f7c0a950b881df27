import type { Pace } from '../parts.js';

/** Holds events back while the client of an answer does not read it. */
export interface Gate {
  /** A promise is room to wait for; it never rejects. */
  room(): Promise<void> | undefined;
  /** For one answer of events: the gate is shut from when one was taken until the next is asked for. */
  pace(): Pace;
  /** The same answer. Where it is one of events, the gate is shut from when one was taken until the next is asked for. */
  watch(response: Response): Response;
}

/** The SDK puts into a stream what it has to say, whether somebody reads it or not: this is what bounds it. */
export function createGate(): Gate {
  const shut = new Set<object>();
  let waiting: { readonly promise: Promise<void>; readonly open: () => void } | undefined;
  return {
    room() {
      if (shut.size === 0) return undefined;
      waiting ??= createWaiting();
      return waiting.promise;
    },
    pace,
    watch(response) {
      if (response.body === null || !isOfEvents(response)) return response;
      const reader = response.body.getReader();
      const { asked, taken } = pace();
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            asked();
            const { done, value } = await reader.read();
            if (done) return controller.close();
            taken();
            controller.enqueue(value);
          },
          async cancel(reason) {
            asked();
            await reader.cancel(reason);
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body, { status: response.status, headers: response.headers });
    },
  };

  function pace(): Pace {
    const answer = {};
    return { asked: () => open(answer), taken: () => void shut.add(answer) };
  }

  function open(part: object): void {
    shut.delete(part);
    if (shut.size > 0) return;
    waiting?.open();
    waiting = undefined;
  }
}

function isOfEvents({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

function createWaiting() {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
