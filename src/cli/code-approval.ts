import type { Approval, Approve } from '../codemode/code-execution.js';
import { harmless } from './harmless.js';
import type { Live } from './live.js';
import { cut } from './table.js';
import type { Terminal } from './terminal.js';

const longestArguments = 600;

/** Asks the person at the terminal before a call. Nothing where there is nobody to ask. */
export function createApprove({ ask, interrupt, note }: Terminal, live: Live): Approve | undefined {
  if (ask === undefined) return undefined;
  return async (asked, signal) => {
    live.end();
    note(`${describe(asked)}\n`);
    return await ask('Permit this call?', AbortSignal.any([signal, interrupt]));
  };
}

function describe({ server, tool, arguments: given }: Approval): string {
  const called = harmless(`${server}/${tool}`);
  return `The script wants to call ${called} with ${cut(harmless(JSON.stringify(given)), longestArguments)}`;
}
