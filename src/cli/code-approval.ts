import type { Approval, Approve } from '../codemode/code-execution.js';
import type { CodeLive } from './code-live.js';
import { harmless } from './harmless.js';
import { shownArguments } from './shown-arguments.js';
import type { Terminal } from './terminal.js';

const longestArguments = 600;

/** Asks the person at the terminal before a call. Nothing where there is nobody to ask. */
export function createApprove({ ask, interrupt, note }: Terminal, live: CodeLive): Approve | undefined {
  if (ask === undefined) return undefined;
  return (asked, signal) =>
    live.hold(async () => {
      note(`${describe(asked)}\n`);
      return ask('Permit this call?', AbortSignal.any([signal, interrupt]));
    });
}

function describe({ server, tool, arguments: given }: Approval): string {
  const called = harmless(`${server}/${tool}`);
  return `The script wants to call ${called} with ${shownArguments(given, longestArguments)}`;
}
