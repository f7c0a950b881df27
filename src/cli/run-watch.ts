import { basename } from 'node:path';
import { watchFiles } from '../manifest/watch.js';
import { harmless } from './harmless.js';
import { paint, type Terminal } from './terminal.js';

const interruptedExitCode = 130;
const longestTimerMs = 2 ** 31 - 1;

/** Runs at once, and again at each change of the file; a run that a change overtakes is given up. Ctrl-C ends it. */
export async function runOnChange(
  file: string,
  terminal: Terminal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const { interrupt } = terminal;
  let changed = new AbortController();
  const watch = watchFiles([file], () => changed.abort());
  // The watchers alone do not keep the process.
  const keeping = setInterval(() => {}, longestTimerMs);
  try {
    await watch.ready;
    while (!interrupt.aborted) {
      changed = new AbortController();
      const over = AbortSignal.any([interrupt, changed.signal]);
      await run(over);
      if (!over.aborted) await whenAborted(over, () => tell(`Waiting for changes of ${basename(file)}; Ctrl-C ends.`));
      if (!interrupt.aborted) tell(`${basename(file)} changed, running it again.`);
    }
    return interruptedExitCode;
  } finally {
    clearInterval(keeping);
    watch.close();
  }

  function tell(text: string): void {
    terminal.note(`${paint(terminal, 'dim', harmless(text))}\n`);
  }
}

async function whenAborted(signal: AbortSignal, onWaiting: () => void): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    onWaiting();
  });
}
