import { runExecutionServer } from './execution-server.js';
import { listenToProcess } from './interruption.js';
import { createTerminal } from './terminal.js';

/** Runs the command line of this process. */
async function start(): Promise<void> {
  process.exitCode = await runExecutionServer(process.argv.slice(2), createTerminal(listenToProcess()));
}

start();
