export interface BodyWatch {
  /** Of the whole, or, where the body is lines, of each. */
  readonly maxBytes: number;
  readonly isLines: boolean;
  readonly onChunk: (chunk: Uint8Array) => void;
  /** Told once, with what went wrong where something did. */
  readonly onEnd: (problem?: string) => void;
}

const newline = 0x0a;

/** The same body, cut off where it is larger than allowed. */
export function watchBody(body: ReadableStream<Uint8Array>, watch: BodyWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          watch.onEnd();
          controller.close();
          return;
        }
        count(value);
        watch.onChunk(value);
        controller.enqueue(value);
      } catch (error) {
        const problem = error instanceof TooLarge ? error.message : 'the connection broke before it answered';
        watch.onEnd(problem);
        controller.error(error);
        await reader.cancel().catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });

  function count(chunk: Uint8Array): void {
    const first = watch.isLines ? chunk.indexOf(newline) : -1;
    const whole = bytes + (first === -1 ? chunk.length : first);
    bytes = first === -1 ? whole : chunk.length - chunk.lastIndexOf(newline) - 1;
    if (whole > watch.maxBytes) throw tooLarge(watch.maxBytes);
  }
}

function tooLarge(maxBytes: number): TooLarge {
  return new TooLarge(`it sent a message of more than ${maxBytes} bytes, which is the limit`);
}

class TooLarge extends Error {}
