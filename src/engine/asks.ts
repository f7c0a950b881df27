import { ExecutionError } from '../errors.js';
import type { JsonObject, JsonValue, OnAsk } from '../toolbox.js';
import { encodeFrame } from './frames.js';

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** The questions of one script that wait for their answers. */
export interface Asks {
  /** `bytes` is the size of the question. */
  take(question: Question, bytes: number): void;
  giveUp(id: number): void;
  /** Nobody waits any more. */
  end(): void;
}

export interface AsksOptions {
  readonly onAsk: OnAsk;
  readonly maxAnswerBytes: number;
  /** Of all questions that are open. */
  readonly maxAskedBytes: number;
  /** `onSent` hears when the script has read it, but for what a pipe holds. */
  send(frame: Buffer, onSent: () => void): void;
  /** The script asks on and on, and reads no answer. */
  onFlood(): void;
}

const mostAtOnce = 10_000;
/** Of answers that the script has not read: above it, there is no room for more. */
const mostUnreadBytes = 8 * 1024 * 1024;
const mostUnread = 100_000;

export function createAsks({ onAsk, maxAnswerBytes, maxAskedBytes, send, onFlood }: AsksOptions): Asks {
  const open = new Map<number, AbortController>();
  let waiting: (() => void)[] = [];
  let openBytes = 0;
  let unreadBytes = 0;
  let unread = 0;
  let isOver = false;

  return {
    take({ id, method, params }, bytes) {
      if (isOver || open.has(id)) return;
      if (open.size >= mostAtOnce || openBytes + bytes > maxAskedBytes) {
        return tell(refused(id, 'QUEUE_FULL', 'Too much waits for an answer already: ask for less at once'));
      }
      const given = new AbortController();
      open.set(id, given);
      openBytes += bytes;
      void answer(id, bytes, async () => onAsk({ method, params, signal: given.signal, room }));
    },
    giveUp: (id) => open.get(id)?.abort(),
    end() {
      isOver = true;
      for (const given of open.values()) given.abort();
    },
  };

  function room(): Promise<void> | undefined {
    return unreadBytes > mostUnreadBytes ? new Promise((resolve) => waiting.push(resolve)) : undefined;
  }

  async function answer(id: number, bytes: number, ask: () => Promise<JsonValue>): Promise<void> {
    const frame = await ask().then(
      (value) => frameOf(id, value),
      (error: unknown) => refusal(id, error),
    );
    open.delete(id);
    openBytes -= bytes;
    if (!isOver) tell(frame);
  }

  function tell(frame: Buffer): void {
    unread += 1;
    unreadBytes += frame.length;
    if (unread > mostUnread) return onFlood();
    send(frame, () => {
      unread -= 1;
      unreadBytes -= frame.length;
      if (unreadBytes > mostUnreadBytes) return;
      for (const begin of waiting) begin();
      waiting = [];
    });
  }

  function frameOf(id: number, value: JsonValue): Buffer {
    try {
      const frame = encodeFrame('A', { id, value });
      if (frame.length <= maxAnswerBytes) return frame;
      return refused(
        id,
        'RESULT_LIMIT',
        `The answer takes ${frame.length} bytes as JSON; ${maxAnswerBytes} are allowed`,
      );
    } catch (error) {
      return refusal(id, error);
    }
  }
}

function refusal(id: number, error: unknown): Buffer {
  if (error instanceof ExecutionError) return refused(id, error.code, error.message);
  return refused(id, 'WIRE_BROKEN', 'The host could not answer; its log has the reason');
}

function refused(id: number, code: string, message: string): Buffer {
  return encodeFrame('A', { id, error: { code, message } });
}
