import { type ErrorCode, type ErrorDetails, ExecutionError } from '../errors.js';
import { paint, type Terminal } from './terminal.js';

const unexpectedExitCode = 1;

export interface DescribedFailure extends ErrorDetails {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly advice?: string;
}

/** Tells what went wrong, to a person on stderr or to a program on stdout; gives the exit code of the error's row. */
export function reportFailure(error: unknown, terminal: Terminal, asJson = false, adviceOn = adviceOfTable): number {
  if (asJson) terminal.out(`${JSON.stringify({ error: describeFailure(error) }, null, 2)}\n`);
  else if (error instanceof ExecutionError) explain(error, adviceOn(error), terminal);
  else terminal.note(`${paint(terminal, 'red', 'mcp-exec failed unexpectedly:')} ${traceOf(error)}\n`);
  return exitCodeOf(error);
}

export function describeFailure(error: unknown): DescribedFailure {
  if (!(error instanceof ExecutionError)) return { message: error instanceof Error ? error.message : String(error) };
  const { code, message, advice, details } = error;
  return { code, message, advice, ...details };
}

export function exitCodeOf(error: unknown): number {
  return error instanceof ExecutionError ? error.exitCode : unexpectedExitCode;
}

function adviceOfTable({ advice }: ExecutionError): string | undefined {
  return advice;
}

function explain({ code, message, details }: ExecutionError, advice: string | undefined, terminal: Terminal): void {
  const shown = details.traceback ?? offendingLine(details);
  if (shown !== undefined) terminal.note(`${shown.trimEnd()}\n`);
  const type = code === 'EXCEPTION' ? details.type : undefined;
  const subject = [type, message].filter(Boolean).join(': ');
  terminal.note(`${paint(terminal, 'red', code)}: ${subject}\n`);
  if (advice !== undefined) terminal.note(`${paint(terminal, 'dim', advice)}\n`);
}

/** As Python shows it, where Python itself did not. */
function offendingLine({ file, line, column, text }: ErrorDetails): string | undefined {
  if (file === undefined || line === undefined || text === undefined) return undefined;
  const code = text.trimStart();
  const place = column === undefined ? -1 : column - 1 - (text.length - code.length);
  const mark = place >= 0 && place <= code.length ? `\n    ${' '.repeat(place)}^` : '';
  return `  File "${file}", line ${line}\n    ${code.trimEnd()}${mark}`;
}

function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
