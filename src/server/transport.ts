import type { Readable, Writable } from 'node:stream';
import { isJSONRPCResponse, type JSONRPCMessage, type RequestId, type Transport } from '@modelcontextprotocol/server';
import { createLineReader, type Line } from './lines.js';
import {
  answeredId,
  answerTooLong,
  idInUse,
  internalError,
  longestAnswerBytes,
  notUtf8,
  readMessage,
  refusal,
  tooLong,
} from './messages.js';

export interface LineTransport extends Transport {
  /** Writes one message that the SDK knows nothing of; resolves when the other side has room for more. */
  write(message: object): Promise<void>;
  readonly closed: Promise<void>;
}

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxMessageBytes?: number;
  /** Answers that may wait for the other side to read them, before no more of what it writes is read. */
  readonly maxUnreadBytes?: number;
  /** Whether the other side is gone for certain at the end of input, so that nobody waits for answers. */
  readonly isOrphaned?: () => boolean;
  /** Told where the connection was closed because the other side reads nothing. */
  readonly onGivenUp?: (unreadBytes: number) => void;
}

const defaultMaxMessageBytes = 64 * 1024 * 1024;
/** Much, because a client may well write all its requests before it reads the first answer. */
const defaultMaxUnreadBytes = 32 * 1024 * 1024;
/** Calls that were taken before are answered all the same, and nobody reads answers of this many times that size. */
const givenUpFactor = 8;
/**
 * How long requests that were read before the end of input may take to be answered: whoever writes some and closes the pipe
 * still reads. Less than clients give a server to end by itself.
 */
const lastAnswersMs = 1500;
/** What a line costs that waits to be written, beside its bytes. */
const bytesPerWaitingLine = 1024;

/** Messages as lines. A line that is no message is answered and the next one read: nothing a client writes closes it. */
export function createLineTransport(options: LineTransportOptions): LineTransport {
  const { input, output, maxMessageBytes = defaultMaxMessageBytes, maxUnreadBytes = defaultMaxUnreadBytes } = options;
  const reader = createLineReader(maxMessageBytes, takeLine);
  /** Requests that were read and not answered, and whether they will be. */
  const underWay = new Map<RequestId, boolean>();
  /** Requests that were written and not answered. */
  const asked = new Set<RequestId>();
  let resolveClosed = (): void => {};
  let isClosed = false;
  let hasEnded = false;
  let unreadLines = 0;
  let roomAgain: Promise<void> | undefined;
  let lastAnswers: NodeJS.Timeout | undefined;

  const transport: LineTransport = {
    closed: new Promise((resolve) => {
      resolveClosed = resolve;
    }),
    async start() {
      input.on('data', takeChunk);
      input.on('end', end);
      input.on('close', end);
      input.on('error', end);
      output.on('error', close);
      output.on('close', close);
      if (input.readableEnded || input.destroyed) setImmediate(end);
    },
    send(message: JSONRPCMessage) {
      const id = answeredId(message);
      noteAsked(message);
      const written = write(message, id);
      if (id !== undefined) settle(id);
      return written;
    },
    write: (message) => write(message, undefined),
    async close() {
      close();
    },
  };
  return transport;

  function write(message: object, answered: RequestId | undefined): Promise<void> {
    if (isClosed) return Promise.reject(new Error('The connection is closed'));
    const line = lineOf(message);
    const bytes = line.length * 3 <= longestAnswerBytes ? 0 : Buffer.byteLength(line);
    if (bytes <= longestAnswerBytes) return writeLine(line);
    // What answers nothing can be left out; a request waits for its answer.
    return answered === undefined ? Promise.resolve() : writeLine(lineOf(answerTooLong(answered, bytes)));
  }

  function takeChunk(chunk: Buffer | string): void {
    reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }

  function takeLine(line: Line): void {
    if (isClosed) return;
    if (line.kind === 'too long') return answer(tooLong(maxMessageBytes));
    if (line.kind === 'not UTF-8') return answer(notUtf8());
    if (line.text.trim() === '') return;
    const checked = readMessage(line.text);
    if (checked.kind === 'refused') return answer(checked.refusal);
    if (checked.kind === 'response') return takeResponse(checked.value);
    const { message } = checked;
    if (checked.kind === 'request') {
      const { id } = checked.message;
      if (underWay.has(id)) return answer(idInUse(id));
      underWay.set(id, message.method !== 'subscriptions/listen');
    } else if (message.method === 'notifications/cancelled') forgetCancelled(message.params?.requestId);
    transport.onmessage?.(message);
  }

  function noteAsked(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) asked.add(message.id);
    const given = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    if (typeof given === 'string' || typeof given === 'number') asked.delete(given);
  }

  /** One that answers nothing that was asked of the client belongs to nothing. */
  function takeResponse(value: Readonly<Record<string, unknown>>): void {
    if (!isJSONRPCResponse(value)) return;
    if (value.id !== undefined && asked.delete(value.id)) transport.onmessage?.(value);
  }

  /** A cancelled request is never answered. */
  function forgetCancelled(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') settle(id);
  }

  function settle(id: RequestId): void {
    underWay.delete(id);
    if (hasEnded) closeWhenAnswered();
  }

  function answer(message: object): void {
    transport.write(message).catch(() => {});
  }

  function writeLine(line: string): Promise<void> {
    if (unreadBytes() > maxUnreadBytes * givenUpFactor) return giveUp();
    unreadLines++;
    if (output.write(line)) {
      unreadLines = 0;
      return Promise.resolve();
    }
    roomAgain ??= new Promise((resolve) => {
      const done = () => {
        output.off('drain', done);
        output.off('close', done);
        output.off('error', done);
        roomAgain = undefined;
        unreadLines = 0;
        if (!isClosed) input.resume();
        resolve();
      };
      output.on('drain', done);
      output.on('close', done);
      output.on('error', done);
    });
    if (unreadBytes() > maxUnreadBytes) input.pause();
    return roomAgain;
  }

  function unreadBytes(): number {
    return output.writableLength + unreadLines * bytesPerWaitingLine;
  }

  async function giveUp(): Promise<void> {
    options.onGivenUp?.(output.writableLength);
    close();
    output.destroy();
  }

  function end(): void {
    if (hasEnded || isClosed) return;
    reader.end();
    hasEnded = true;
    if (options.isOrphaned?.()) return close();
    lastAnswers = setTimeout(close, lastAnswersMs);
    closeWhenAnswered();
  }

  function closeWhenAnswered(): void {
    if (![...underWay.values()].includes(true)) close();
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(lastAnswers);
    input.off('data', takeChunk);
    input.pause();
    // An error of a stream that nobody listens to any more would end the process.
    input.on('error', ignore);
    output.on('error', ignore);
    transport.onclose?.();
    resolveClosed();
  }
}

function ignore(): void {}

/** What cannot be written as JSON is our fault, and the client must hear something. */
function lineOf(message: object): string {
  try {
    return `${JSON.stringify(message)}\n`;
  } catch {
    const id =
      'id' in message && (typeof message.id === 'string' || typeof message.id === 'number') ? message.id : null;
    return `${JSON.stringify(refusal(internalError, 'Internal error', id))}\n`;
  }
}
