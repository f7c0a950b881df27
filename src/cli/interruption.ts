import { isatty } from 'node:tty';

const interruptedExitCode = 130;
const unwrittenExitCode = 1;
/** A signal that goes to a process and to its group, as from timeout(1) and npm, comes twice; a person takes longer. */
const echoMs = 300;

let isReaderNeeded = true;
let interruptedAt = 0;
const interruption = new AbortController();

/** From now on the work is done to its end, whether or not anybody reads stdout; a terminal that is closed interrupts it. */
export function outlastReader(): void {
  isReaderNeeded = false;
  const hadTerminal = [0, 1, 2].some((stream) => isatty(stream));
  // It comes from the shell and from the kernel, and nobody is there who would want more by the second one.
  process.on('SIGHUP', function hangUp() {
    if (hadTerminal && !interruption.signal.aborted) process.once('exit', () => endBySignal(hangUp));
    interrupt();
  });
}

/** Node aborts at its end where the terminal whose settings it would restore is gone. */
function endBySignal(listener: () => void): void {
  process.off('SIGHUP', listener);
  process.kill(process.pid, 'SIGHUP');
}

/** Ctrl-C and SIGTERM as a signal; the second one ends at once. A reader of stdout who leaves ends the process too. */
export function listenToProcess(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!interruption.signal.aborted) interrupt();
      else if (isReaderNeeded || performance.now() - interruptedAt > echoMs) process.exit(interruptedExitCode);
    });
  }
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (!isReaderNeeded && (code === 'EPIPE' || isClosedTerminal(code))) return;
    if (code === 'EPIPE') process.exit();
    process.stderr.write(`What this command gives cannot be written: ${message}\n`);
    process.exit(unwrittenExitCode);
  });
  // Notes that nobody can read are no reason to give up the work.
  process.stderr.on('error', () => {});
  return interruption.signal;
}

function interrupt(): void {
  if (interruption.signal.aborted) return;
  interruptedAt = performance.now();
  interruption.abort();
}

function isClosedTerminal(code: string | undefined): boolean {
  return code === 'EIO' && process.stdout.isTTY === true;
}
