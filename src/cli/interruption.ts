const interruptedExitCode = 130;
const unwrittenExitCode = 1;
/** A signal that goes to a process and to its group, as from timeout(1) and npm, comes twice; a person takes longer. */
const echoMs = 300;

let isReaderNeeded = true;

/** From now on the work is done to its end, whether or not anybody reads stdout. */
export function outlastReader(): void {
  isReaderNeeded = false;
}

/** Ctrl-C and SIGTERM as a signal; the second one ends at once. A reader of stdout who leaves ends the process too. */
export function listenToProcess(): AbortSignal {
  const interruption = new AbortController();
  let interruptedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!interruption.signal.aborted) {
        interruptedAt = performance.now();
        interruption.abort();
      } else if (isReaderNeeded || performance.now() - interruptedAt > echoMs) process.exit(interruptedExitCode);
    });
  }
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' && !isReaderNeeded) return;
    if (code === 'EPIPE') process.exit();
    process.stderr.write(`What this command gives cannot be written: ${message}\n`);
    process.exit(unwrittenExitCode);
  });
  // Notes that nobody can read are no reason to give up the work.
  process.stderr.on('error', () => {});
  return interruption.signal;
}
