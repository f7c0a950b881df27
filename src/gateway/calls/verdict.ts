import { type ErrorCode, ExecutionError, errorTable, isErrorCode } from '../../errors.js';
import type { ToolResult } from '../../toolbox.js';

/** How a call ended. */
export type Ending =
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'error'; readonly error: unknown };

/** What the end of a call says of the service: that it works, that it fails, or nothing. */
export type Verdict = 'works' | 'fails' | 'nothing';

/** Crashes, and calls that never come to an end. Otherwise the service did what it was asked, well or not. */
const verdicts: Partial<Record<ErrorCode, Verdict>> = {
  PROCESS_FAILED: 'fails',
  TIMEOUT: 'fails',
  IMPORT_TIMEOUT: 'fails',
  CPU_LIMIT: 'fails',
  MEMORY_LIMIT: 'fails',
  CANCELLED: 'nothing',
  TOO_MANY_REQUESTS: 'nothing',
  QUEUE_FULL: 'nothing',
  CIRCUIT_OPEN: 'nothing',
  UNAVAILABLE: 'nothing',
  CLOSED: 'nothing',
};

export function verdictOf(ending: Ending): Verdict {
  if (ending.kind === 'error') return ending.error instanceof ExecutionError ? ofCode(ending.error.code) : 'fails';
  const { isError, code, exitCode } = ending.result;
  if (!isError || !isErrorCode(code)) return 'works';
  // A script that ends by itself says by its exit code how that went.
  return code === 'PROCESS_FAILED' && exitCode !== undefined ? 'works' : ofCode(code);
}

/** `done`, or the code of the error. */
export function outcomeOf(ending: Ending): string {
  if (ending.kind === 'error') return ending.error instanceof ExecutionError ? ending.error.code : 'failed';
  const { isError, code } = ending.result;
  if (!isError) return 'done';
  return isErrorCode(code) ? code : 'EXCEPTION';
}

export function endOf(answer: Promise<ToolResult>): Promise<Ending> {
  return answer.then(
    (result) => ({ kind: 'result', result }),
    (error: unknown) => ({ kind: 'error', error }),
  );
}

function ofCode(code: ErrorCode): Verdict {
  return verdicts[code] ?? (errorTable[code].fault === 'host' ? 'fails' : 'works');
}
