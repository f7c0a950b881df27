import { createError, type ErrorDetails, type ExecutionError, isErrorCode } from '../errors.js';
import { decodePayload } from './frames.js';

/** What a Python process says when something failed, as an error of the table. */
export interface ReportedFailure {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** The error in an `E` frame, with what else is known of the run. */
export function failureOf(payload: Buffer, known: ErrorDetails = {}): ExecutionError {
  return errorOf((decodePayload(payload) as { error: ReportedFailure }).error, known);
}

export function errorOf({ code, message, ...details }: ReportedFailure, known: ErrorDetails = {}): ExecutionError {
  return createError(isErrorCode(code) ? code : 'EXCEPTION', message, { ...known, ...withoutNull(details) });
}

function withoutNull(details: Record<string, unknown>): ErrorDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null && value !== undefined));
}
