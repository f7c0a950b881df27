import type { Command } from 'commander';
import { addNames } from './exploring.js';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';
import { reportTestFailure } from './test-failure.js';
import { addServerFlags, type InitFlags, readTestSettings, refuseOtherFlags, serverWordsOf } from './test-flags.js';

const details = `
The server is started and asked for its tools, resources and prompts. What answers twice the same becomes a case, so that the
suite passes as it is written. Nothing is called that does not say that it only reads, or that it destroys nothing; nothing that
needs a task or asks the user. What was left out is told, and stands in the suite as cases that are skipped, with the reason.
A server whose tools say nothing of all that is helped by --call: tools that you know to be harmless are called too. None is that
says that it destroys something.
Of the variables that are set here the server gets a few safe ones, and those of --env: NAME alone stays a variable of the suite.

Examples:
  $ mcp-exec test init --out suite.yaml -- node server.mjs
  $ mcp-exec test init --out suite.yaml -- npx -y @modelcontextprotocol/server-everything
  $ mcp-exec test init --out suite.yaml --env API_KEY --env MODE=test -- node server.mjs
  $ mcp-exec test init --out suite.yaml --call find,count -- node server.mjs
  $ mcp-exec test init --out suite.yaml word_count.py
  $ mcp-exec test init --url https://example.com/mcp --header 'Authorization: Bearer TOKEN' > suite.yaml
  $ mcp-exec test init --out suite.yaml --url http://127.0.0.1:3000/mcp -- node http-server.mjs`;

/** A subcommand: a suite that is named so is ./init. */
export function addTestInit(test: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  const init = test
    .command('init')
    .summary('write a first suite for a server, ready to run')
    .description('Writes a first suite from what a server offers: ready to run, and green.')
    .usage('[options] -- COMMAND ARGS...')
    .argument('[server...]', 'a command behind --, or Python scripts')
    .option('--out <file>', 'write the suite to this file; to stdout where not given')
    .option('--force', 'write over a file that is there already')
    .option('--call <names>', 'call these tools too, which do not say that they only read; may be repeated', addNames);
  addServerFlags(init)
    .addHelpText('after', details)
    .action(async (words: readonly string[], _own: InitFlags, command: Command) => {
      try {
        refuseOtherFlags(test, ['url', 'header', 'env', 'force'], 'test init');
        const flags: InitFlags = command.optsWithGlobals();
        const settings = readTestSettings(command, terminal.environment);
        const { initSuite } = await import('./testing.js');
        const typed = `mcp-exec test init${flags.out === undefined ? '' : ` --out ${flags.out}`}`;
        const server = serverWordsOf(words, flags, command, typed);
        setExitCode(await initSuite({ server, flags }, settings, terminal));
      } catch (error) {
        setExitCode(reportTestFailure(error, terminal));
      }
    });
}
