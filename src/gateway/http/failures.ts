import { ProtocolError } from '@modelcontextprotocol/server';
import { CallerError, ExecutionError, errorTable } from '../../errors.js';
import { type Log, reference } from '../../log.js';
import { hideHome } from '../../redact.js';
import { levelOf, protocolError } from '../../server/failures.js';

/** An error as an answer of plain HTTP. */
export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly advice?: string;
      readonly reference?: string;
    };
  };
}

/** What is no error of ours leaves as a reference alone; its detail is in the log. */
export function failureOf(thrown: unknown, log: Log): Failure {
  const { error, status } = understood(thrown);
  if (error === undefined) {
    const found = reference();
    log.error('a request failed unexpectedly', { reference: found, error: thrown });
    const message = `Internal error (reference ${found})`;
    return { status: 500, headers: {}, body: { error: { code: 'INTERNAL', message, reference: found } } };
  }
  const { code, message, advice, details, fault } = error;
  if (fault === 'host') log[levelOf(code)]('a request failed', { code, message, reference: details.reference });
  return {
    status: status ?? errorTable[code].httpStatus,
    headers: headersOf(error),
    body: {
      error: {
        code,
        message: fault === 'host' ? hideHome(message) : message,
        advice,
        ...(details.reference !== undefined && { reference: details.reference }),
      },
    },
  };
}

/** The same as the error of a JSON-RPC answer. */
export function rpcErrorOf(thrown: unknown, log: Log) {
  const { error } = understood(thrown);
  const { code, message, data } =
    thrown instanceof ProtocolError ? thrown : protocolError(error === undefined ? thrown : error, log);
  return { code, message, ...(data !== undefined && { data }) };
}

export function headersOf({ details, code }: ExecutionError): Readonly<Record<string, string>> {
  const { retryAfterMs } = details;
  const isWorthRetrying = errorTable[code].httpStatus === 429 || errorTable[code].httpStatus === 503;
  if (retryAfterMs === undefined && !isWorthRetrying) return {};
  return { 'retry-after': String(Math.max(1, Math.ceil((retryAfterMs ?? 1000) / 1000))) };
}

interface Understood {
  readonly error?: ExecutionError;
  readonly status?: number;
}

/** What the framework refuses by itself, in the words of the error table. */
function understood(thrown: unknown): Understood {
  if (thrown instanceof ExecutionError) return { error: thrown };
  const { code, status } = frameworkError(thrown);
  if (code === undefined || status === undefined || status < 400 || status >= 500) return {};
  const sentence = sentences[code] ?? (thrown instanceof Error ? thrown.message : 'The request cannot be understood');
  if (status === 413) return { error: new CallerError('TOO_LARGE', sentence), status };
  if (status === 429) return { error: new CallerError('TOO_MANY_REQUESTS', sentence), status };
  return { error: new CallerError('INVALID_REQUEST', sentence), status };
}

const sentences: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body has a content type that this address does not take',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is larger than maxBodyBytes',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty, and the content type says that it is JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as the header Content-Length says',
  FST_REQ_FILE_TOO_LARGE: 'The file is larger than maxUploadBytes',
  FST_ERR_BAD_URL: 'The address cannot be decoded',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the address is too long',
};

function frameworkError(thrown: unknown): { readonly code?: string; readonly status?: number } {
  if (!(thrown instanceof Error)) return {};
  const code: unknown = Reflect.get(thrown, 'code');
  const status: unknown = Reflect.get(thrown, 'statusCode');
  if (thrown instanceof SyntaxError) return { code: 'FST_ERR_CTP_INVALID_JSON_BODY', status: 400 };
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof status === 'number' && { status }),
  };
}
