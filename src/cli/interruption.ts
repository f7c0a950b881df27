const interruptedExitCode = 130;

/** Ctrl-C and SIGTERM as a signal; the second one ends at once. A reader of stdout who leaves ends the process too. */
export function listenToProcess(): AbortSignal {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interruption.signal.aborted) process.exit(interruptedExitCode);
      interruption.abort();
    });
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return interruption.signal;
}
