import { main } from './main.js';
import { createTerminal } from './terminal.js';

const interruptedExitCode = 130;

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interruption.signal.aborted) process.exit(interruptedExitCode);
      interruption.abort();
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
  }
  process.exitCode = await main(process.argv.slice(2), createTerminal(interruption.signal));
}
