import type { ErrorCode, ExecutionError } from '../errors.js';
import { reportForeignFailure } from './foreign-failure.js';
import type { Terminal } from './terminal.js';

/** As reportForeignFailure, with what helps somebody who tests a server. */
export function reportTestFailure(error: unknown, terminal: Terminal): number {
  return reportForeignFailure(error, terminal, false, adviceForTests);
}

/** Here the message says all: what was wrong with a flag, how the server ended, after what it wrote. */
const saysAll: ReadonlySet<ErrorCode> = new Set(['INVALID_ARGUMENTS', 'SERVER_FAILED', 'TIMEOUT']);

function adviceForTests({ code, details, advice }: ExecutionError): string | undefined {
  if (saysAll.has(code)) return undefined;
  // One that is not there, or cannot be read, has no place to be mended at.
  return code === 'INVALID_SUITE' && details.line === undefined ? undefined : advice;
}
