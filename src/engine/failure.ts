import {
  CallerError,
  createError,
  type ErrorCode,
  type ErrorDetails,
  type ExecutionError,
  errorTable,
  HostError,
  isErrorCode,
} from '../errors.js';
import { isFailure, readFields } from './messages.js';

/** What a Python process says when something failed, as an error of the table. */
export interface ReportedFailure {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

export const wroteOnChannel = 'The script wrote something on the channel of its host';

/** The error in an `E` frame, with what else is known of the run. */
export function failureOf(payload: Buffer, known: ErrorDetails = {}): ExecutionError {
  const error = readFields(payload)?.error;
  return isFailure(error) ? errorOf(error, known) : createError('PROCESS_FAILED', wroteOnChannel, known);
}

export function errorOf({ code, message, ...details }: ReportedFailure, known: ErrorDetails = {}): ExecutionError {
  // Python's own MemoryError has no message.
  const said = message === '' && code === 'MEMORY_LIMIT' ? errorTable.MEMORY_LIMIT.meaning : message;
  return createError(isScriptsToSay(code) ? code : 'EXCEPTION', said, { ...withoutNull(details), ...known });
}

export function cannotFork(reason: string): CallerError {
  const message = `Launcher fork cannot be used here: ${reason}; with launcher auto, interpreters started ahead serve it`;
  return new CallerError('INVALID_SETTING', message, { setting: 'launcher' });
}

export function engineClosed(): HostError {
  return new HostError('CLOSED', 'The engine is closed');
}

/** A failure of the host is the host's to tell. */
function isScriptsToSay(code: string): code is ErrorCode {
  return isErrorCode(code) && errorTable[code].fault !== 'host';
}

function withoutNull(details: Record<string, unknown>): ErrorDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null && value !== undefined));
}
