import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type ErrorCode, ExecutionError, errorTable } from '../errors.js';
import { type Log, reference } from '../log.js';
import { hideHome } from '../redact.js';
import type { ToolResult } from '../toolbox.js';

/** What a failed call is answered with: a result that the model reads, or an error of the protocol, which is thrown. */
export function failedResult(error: unknown, log: Log | undefined): ToolResult {
  if (!(error instanceof ExecutionError)) throw protocolError(error, log);
  const { message, advice, details } = error;
  const code: ErrorCode = error.code;
  if (errorTable[code].mcp.outcome === 'error') throw protocolError(error, log);
  const text = [details.traceback?.trimEnd(), `${code}: ${message}`, advice].filter(Boolean).join('\n');
  const { stdout = '', stderr = '', figures } = details;
  return { content: [{ type: 'text', text }], isError: true, output: { stdout, stderr }, ...(figures && { figures }) };
}

/** Nothing of an error that was not foreseen leaves, but the reference under which the log has it. */
export function protocolError(error: unknown, log: Log | undefined): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof ExecutionError) {
    const { message, advice, details } = error;
    const code: ErrorCode = error.code;
    const { mcp, fault } = errorTable[code];
    const data = { code, advice, ...(details.reference !== undefined && { reference: details.reference }) };
    if (fault === 'host') log?.[levelOf(code)]('a request failed', { code, message, reference: details.reference });
    const told = fault === 'host' ? hideHome(message) : message;
    return new ProtocolError(mcp.outcome === 'error' ? mcp.code : ProtocolErrorCode.InternalError, told, data);
  }
  const found = reference();
  log?.error('a request failed unexpectedly', { reference: found, error });
  return new ProtocolError(ProtocolErrorCode.InternalError, `Internal error (reference ${found})`, {
    reference: found,
  });
}

const comeAgain: ReadonlySet<ErrorCode> = new Set(['QUEUE_FULL', 'CIRCUIT_OPEN', 'UNAVAILABLE']);

/** Who finds no room is told to come again: a line for each of them would only be more load. */
export function levelOf(code: ErrorCode): 'debug' | 'error' {
  return comeAgain.has(code) ? 'debug' : 'error';
}
