import { createError, ExecutionError } from '../../errors.js';

export type Redact = (text: string) => string;

/** The same error, without secrets in what it says. */
export function redacted(error: unknown, redact: Redact): unknown {
  if (!(error instanceof ExecutionError)) return error;
  const { code, message, details, cause } = error;
  const { stderr } = details;
  return createError(
    code,
    redact(message),
    { ...details, ...(stderr !== undefined && { stderr: redact(stderr) }) },
    { cause },
  );
}
