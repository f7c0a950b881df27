import type { Failure } from '../codemode/code-execution.js';
import { errorTable, isErrorCode } from '../errors.js';
import { harmlessLines } from './harmless.js';
import { paint, type Terminal } from './terminal.js';

const unknownExitCode = 1;

/** Tells of each server that failed while the others did not. Gives the exit code of the first, or 0. */
export function tellFailures(failures: readonly (Failure & { readonly server: string })[], terminal: Terminal): number {
  for (const { server, code, message } of failures) {
    const advice = isErrorCode(code) ? `${paint(terminal, 'dim', errorTable[code].advice)}\n` : '';
    const subject = message.includes(server) ? message : `${server}: ${message}`;
    terminal.note(harmlessLines(`${paint(terminal, 'red', code)}: ${subject}\n${advice}`));
  }
  const [first] = failures;
  if (first === undefined) return 0;
  return isErrorCode(first.code) ? errorTable[first.code].exitCode : unknownExitCode;
}

export function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}
