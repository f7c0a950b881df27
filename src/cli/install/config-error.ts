import { CallerError } from '../../errors.js';

/** A client's file that says nothing we can add to; `before` is the text up to the mistake. */
export function malformed(file: string, reason: string, before?: string): CallerError {
  const lines = before?.split('\n');
  const line = lines?.length;
  const column = (lines?.at(-1)?.length ?? 0) + 1;
  const where = line === undefined ? '' : `, line ${line}, column ${column}`;
  const message = `${file}${where}: ${reason}. Nothing was written: mend the file first`;
  return new CallerError('INVALID_CONFIG', message, { argument: '--config', file, ...(line && { line, column }) });
}

export function cannotEdit(file: string, reason: string): CallerError {
  const message = `${file}: ${reason}, so it has to be edited by hand. Nothing was written`;
  return new CallerError('INVALID_CONFIG', message, { argument: '--config', file });
}
