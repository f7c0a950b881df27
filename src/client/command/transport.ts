import { isUtf8 } from 'node:buffer';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import type { LineLog } from './line-log.js';
import { createLineCutter, type SkippedLine } from './lines.js';
import { idOfBroken, isSaidByServer, readLine, unreadableAnswer } from './messages.js';
import type { ServerProcess } from './process.js';

export interface StdioTransport extends Transport {
  /** Requests that were cancelled and have not been answered since: the server may still be working on them. */
  readonly abandoned: number;
  /** Reads nothing more of the server until the promise settles. */
  hold(until: Promise<unknown>): void;
  /** When all that the server wrote was read. */
  readonly readToEnd: Promise<void>;
  /** Whether the server stopped in the middle of a line. */
  readonly isCutOff: boolean;
}

export interface StdioTransportOptions {
  readonly maxMessageBytes: number;
  readonly lines: LineLog;
  readonly hearing?: Hearing;
  /** Told when nothing more can come of this connection, and why. */
  readonly onBroken: (reason: string) => void;
  /** Told when the server can write no more. */
  readonly onClosed: () => void;
  /** When it is known how the server came to its end, or soon where it came to none. */
  readonly whenOver: () => Promise<unknown>;
}

/** For whoever wants to know of what is passed over here. */
export interface Hearing {
  /** A line of standard output that is no message. */
  onNoise?(line: string): void;
  /** An answer to a request that has its answer, or to none that was made. */
  onStrayAnswer?(line: string, isRepeated: boolean): void;
  onStderr?(line: string): void;
  /** A result of a request that had been given up. */
  onLateAnswer?(): void;
}

/** What may wait for a server that does not read. */
const maxUnreadBytes = 64 * 1024 * 1024;
const maxAbandoned = 1000;
/** Requests whose answers are remembered, for whoever wants to hear of a second one. */
const maxAnswered = 10_000;
/** How many times the limit a message may be long and still be passed over. */
const skippedAtMost = 4;
const shownCharacters = 200;
const shownBytes = 1024;

/** Messages as lines to and from a process. Whatever is no message is logged and passed over. */
export function createStdioTransport(
  { stdin, stdout }: ServerProcess,
  { maxMessageBytes, lines, hearing, onBroken, onClosed, whenOver }: StdioTransportOptions,
): StdioTransport {
  /** By their ids as text, because some servers answer a number with its digits. */
  const underWay = new Map<string, RequestId>();
  const abandoned = new Set<string>();
  const answered = new Set<string>();
  const tooLong = `wrote a message of more than ${maxMessageBytes} bytes, which is the limit`;
  const cutter = createLineCutter(maxMessageBytes, takeLine, () => onBroken(tooLong), {
    maxBytes: skippedAtMost * maxMessageBytes,
    onSkipped: takeSkipped,
  });
  let holds = 0;
  /** One for all that wait. */
  let drained: Promise<void> | undefined;
  let isClosed = false;
  let isCutOff = false;

  const transport: StdioTransport = {
    get abandoned() {
      return abandoned.size;
    },
    get isCutOff() {
      return isCutOff;
    },
    readToEnd: new Promise((resolve) => {
      stdout.once('end', readRest);
      stdout.once('close', () => {
        resolve();
        onClosed();
      });
    }),
    async start() {
      stdin.on('error', () => {});
      stdout.on('error', () => {});
      stdout.on('data', (chunk: Buffer) => cutter.push(chunk));
    },
    send(message) {
      if (isClosed) return Promise.reject(closed());
      // Why says more than that it is so.
      if (!stdin.writable) return whenOver().then(() => Promise.reject(closed()));
      note(message);
      if (stdin.writableLength > maxUnreadBytes) onBroken('does not read what is sent to it');
      const line = `${JSON.stringify(message)}\n`;
      if (stdin.write(line)) return Promise.resolve();
      drained ??= waitForRoom();
      return drained;
    },
    hold(until) {
      holds += 1;
      stdout.pause();
      const letGo = () => {
        holds -= 1;
        if (holds === 0) stdout.resume();
      };
      until.then(letGo, letGo);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      transport.onclose?.();
    },
  };
  return transport;

  function waitForRoom(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        stdin.off('drain', done);
        stdin.off('close', done);
        drained = undefined;
        resolve();
      };
      stdin.on('drain', done);
      stdin.on('close', done);
    });
  }

  /** Which requests are under way, so that what answers none of them goes no further. */
  function note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) underWay.set(String(message.id), message.id);
    else if (message.method === 'notifications/cancelled') {
      const id = String(message.params?.requestId);
      if (underWay.delete(id) && abandoned.size < maxAbandoned) abandoned.add(id);
    }
  }

  function takeUnderWay(id: string): RequestId | undefined {
    const own = underWay.get(id);
    if (underWay.delete(id)) noteAnswered(id);
    return own;
  }

  function noteAnswered(id: string): void {
    if (!hearing?.onStrayAnswer) return;
    answered.add(id);
    if (answered.size <= maxAnswered) return;
    const [oldest] = answered;
    if (oldest !== undefined) answered.delete(oldest);
  }

  function takeLine(bytes: Buffer): void {
    if (isClosed) return;
    const text = textOf(bytes);
    if (text === '') return;
    const incoming = text === undefined ? { kind: 'no message' as const } : readLine(text);
    if (incoming.kind === 'no message') {
      lines.write('the MCP server wrote a line that is no message', shown(bytes));
      hearing?.onNoise?.(heard(bytes));
      const ends = { head: bytes.subarray(0, shownBytes), tail: bytes.subarray(-shownBytes) };
      answerBroken(ends, 'answered with a line that is no valid JSON');
    } else if (incoming.kind === 'said') transport.onmessage?.(incoming.message);
    else {
      const id = String(incoming.id);
      const own = takeUnderWay(id);
      if (own !== undefined) transport.onmessage?.(incoming.as(own));
      else if (abandoned.delete(id)) {
        noteAnswered(id);
        if ('result' in incoming.as(id)) hearing?.onLateAnswer?.();
      } else {
        lines.write('the MCP server answered what was not asked, or has its answer', shown(bytes));
        hearing?.onStrayAnswer?.(heard(bytes), answered.has(id));
      }
    }
  }

  /** Only its own request fails with an answer that is too long, as far as it can be told which that is. */
  function takeSkipped(line: SkippedLine): void {
    if (isClosed) return;
    lines.write('the MCP server wrote a message that is too long', shown(line.head));
    hearing?.onNoise?.(heard(line.head));
    if (isSaidByServer(line.head.toString('latin1')) || answerBroken(line, tooLong)) return;
    const [only] = underWay.values();
    if (only === undefined || underWay.size > 1) return onBroken(tooLong);
    underWay.clear();
    transport.onmessage?.(unreadableAnswer(only, tooLong));
  }

  /** Whether the line is the answer to a request, which then has failed. */
  function answerBroken({ head, tail }: SkippedLine, what: string): boolean {
    const id = idOfBroken(head.toString('latin1'), tail.toString('latin1'));
    if (id === undefined) return false;
    const own = takeUnderWay(String(id));
    if (own !== undefined) transport.onmessage?.(unreadableAnswer(own, what));
    else if (abandoned.delete(String(id))) hearing?.onLateAnswer?.();
    return true;
  }

  function readRest(): void {
    const rest = cutter.end();
    if (rest.length === 0) return;
    // A server that ends may leave out the newline of its last message.
    const text = textOf(rest);
    if (text !== undefined && readLine(text).kind !== 'no message') return takeLine(rest);
    isCutOff = true;
    lines.write('the MCP server ended in the middle of a line', shown(rest));
    hearing?.onNoise?.(heard(rest));
  }
}

function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString().trim() : undefined;
}

function shown(bytes: Buffer): string {
  return bytes.toString('utf8', 0, shownCharacters);
}

function heard(bytes: Buffer): string {
  return bytes.toString('utf8', 0, shownBytes);
}

function closed(): Error {
  return new Error('The connection is closed');
}
