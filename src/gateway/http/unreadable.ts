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

const problems: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, sentence: 'The request did not arrive within bodyTimeoutMs' },
  HPE_HEADER_OVERFLOW: { status: 431, sentence: 'The headers of the request are too long' },
};

/** Answers what never became a request, in the form of all other answers. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, log: Log): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, sentence } = problems[error.code ?? ''] ?? notHttp;
  const text = JSON.stringify(failureOf(new CallerError('INVALID_REQUEST', sentence), log).body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  socket.destroy(error);
}
