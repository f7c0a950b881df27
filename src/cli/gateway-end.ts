import { closeSync, openSync } from 'node:fs';
import type { Terminal } from './terminal.js';

const interruptedExitCode = 130;

/**
 * What ends a gateway: SIGTERM and Ctrl-C, once; the second time the process ends at once, which is seen to elsewhere. SIGHUP
 * says that files were moved or changed, unless it says that the terminal is gone.
 */
export function listenForEnd({ interrupt, watched }: Pick<Terminal, 'interrupt' | 'watched'>) {
  const ended = new AbortController();
  let isTerminated = false;
  let work: Promise<void> = Promise.resolve();
  let hungUp: () => Promise<void> = async () => undefined;
  const bringAbout = () => ended.abort();
  const terminate = () => {
    isTerminated = true;
  };
  const hangUp = () => {
    if (watched && !hasTerminal()) return bringAbout();
    work = work.then(() => hungUp()).catch(() => undefined);
  };
  if (interrupt.aborted) bringAbout();
  interrupt.addEventListener('abort', bringAbout, { once: true });
  process.once('SIGTERM', terminate);
  process.on('SIGHUP', hangUp);

  return {
    signal: ended.signal,
    reached: new Promise<void>((resolve) => {
      if (ended.signal.aborted) resolve();
      ended.signal.addEventListener('abort', () => resolve(), { once: true });
    }),
    /** One after the other, and none at once. */
    onHangUp(listener: () => Promise<void>) {
      hungUp = listener;
    },
    exitCode: () => (interrupt.aborted && !isTerminated ? interruptedExitCode : 0),
    close() {
      interrupt.removeEventListener('abort', bringAbout);
      process.off('SIGTERM', terminate);
      process.off('SIGHUP', hangUp);
    },
  };
}

/** A terminal that was closed cannot be opened any more. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
