import { ExecutionError, LimitError } from '../errors.js';
import { reportFailure } from './failure.js';
import { harmlessLines } from './harmless.js';
import type { Terminal } from './terminal.js';

/** As reportFailure, of an error that may quote what a server said. Whatever Ctrl-C came to is an interruption. */
export function reportForeignFailure(
  error: unknown,
  terminal: Terminal,
  asJson = false,
  adviceOn?: Parameters<typeof reportFailure>[3],
): number {
  const note = (text: string) => terminal.note(harmlessLines(text));
  return reportFailure(asInterruption(error, terminal.interrupt), { ...terminal, note }, asJson, adviceOn);
}

function asInterruption(error: unknown, { aborted }: AbortSignal): unknown {
  const isOneAlready = error instanceof ExecutionError && error.code === 'CANCELLED';
  if (!aborted || isOneAlready) return error;
  return new LimitError('CANCELLED', 'Interrupted', {}, { cause: error });
}
