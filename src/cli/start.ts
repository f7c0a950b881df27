import { listenToProcess } from './interruption.js';
import { main } from './main.js';
import { createTerminal } from './terminal.js';

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  process.exitCode = await main(process.argv.slice(2), createTerminal(listenToProcess()));
}
