import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { CallerError } from '../../errors.js';
import type { Log } from '../../log.js';
import { failureOf } from './failures.js';

interface Problem {
  readonly status: number;
  readonly sentence: string;
}

const notHttp: Problem = { status: 400, sentence: 'What was sent is not a request of HTTP/1.1' };

const late = 'ERR_HTTP_REQUEST_TIMEOUT';
const problems: Readonly<Record<string, Problem>> = {
  [late]: { status: 408, sentence: 'The request did not arrive within bodyTimeoutMs' },
  HPE_HEADER_OVERFLOW: { status: 431, sentence: 'The headers of the request are too long' },
};

/** How long what a client still sends is read and dropped: a connection closed before that is reset, and its answer lost. */
const longestLeavingMs = 2000;
const answered = new WeakSet<Socket>();

/** Answers what never became a request, in the form of all other answers. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, log: Log): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || answered.has(socket)) return;
  answered.add(socket);
  const { status, sentence } = problems[error.code ?? ''] ?? notHttp;
  const text = JSON.stringify(failureOf(new CallerError('INVALID_REQUEST', sentence), log).body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  // What comes after all would be served as a request, and its answer would reach nobody.
  if (isLate(error)) socket.destroySoon();
  else leave(socket);
}

/** Whether Node complains that a request was not here in time. */
export function isLate(error: NodeJS.ErrnoException): boolean {
  return error.code === late;
}

/** What the client sends from now on goes to a parser that has failed. */
function leave(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), longestLeavingMs);
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer));
}
