import { ExecutionError } from '../errors.js';
import type { JsonObject, JsonValue } from '../toolbox.js';
import { encodeFrame } from './frames.js';
import type { OnAsk } from './work.js';

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
  /** `onSent` hears when the script has begun to read the last of it. */
  send(frame: Buffer, onSent: () => void): void;
  /** The script is refused again and again, and does not read that. */
  onFlood(): void;
}

const mostAtOnce = 10_000;
/** Of answers that the script has not read: above it, no further one is worked out. */
const mostUnreadBytes = 8 * 1024 * 1024;
const mostUnreadRefusals = 100_000;

export function createAsks({ onAsk, maxAnswerBytes, maxAskedBytes, send, onFlood }: AsksOptions): Asks {
  const open = new Map<number, AbortController>();
  const waiting: (() => void)[] = [];
  let openBytes = 0;
  let unreadBytes = 0;
  let unreadRefusals = 0;
  let isOver = false;

  return {
    take({ id, method, params }, bytes) {
      if (isOver || open.has(id)) return;
      if (open.size >= mostAtOnce || openBytes + bytes > maxAskedBytes) return refuse(id);
      const given = new AbortController();
      open.set(id, given);
      openBytes += bytes;
      const begin = () => void answer(id, bytes, async () => onAsk({ method, params, signal: given.signal }));
      if (unreadBytes > mostUnreadBytes) waiting.push(begin);
      else begin();
    },
    giveUp: (id) => open.get(id)?.abort(),
    end() {
      isOver = true;
      waiting.length = 0;
      for (const given of open.values()) given.abort();
    },
  };

  function refuse(id: number): void {
    unreadRefusals += 1;
    if (unreadRefusals > mostUnreadRefusals) return onFlood();
    send(refused(id, 'QUEUE_FULL', 'Too much waits for an answer already: ask for less at once'), () => {
      unreadRefusals -= 1;
    });
  }

  async function answer(id: number, bytes: number, ask: () => Promise<JsonValue>): Promise<void> {
    const frame = await ask().then(
      (value) => frameOf(id, value),
      (error: unknown) => refusal(id, error),
    );
    open.delete(id);
    openBytes -= bytes;
    if (isOver) return;
    unreadBytes += frame.length;
    send(frame, () => {
      unreadBytes -= frame.length;
      while (unreadBytes <= mostUnreadBytes && !isOver) {
        const begin = waiting.shift();
        if (!begin) return;
        begin();
      }
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
