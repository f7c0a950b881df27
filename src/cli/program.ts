import { Command, Help, type Option } from 'commander';
import { packageVersion } from '../python/package.js';
import { addBroker } from './broker.js';
import { addCall } from './call.js';
import { completeFlags } from './code-flags.js';
import { addDiscover } from './discover.js';
import { addDoctor } from './doctor.js';
import { addExport } from './export.js';
import { addGateway } from './gateway.js';
import { addGenerate } from './generate.js';
import { addInstall } from './install.js';
import { addKey } from './key.js';
import { addListTools } from './list-tools.js';
import { addLogin } from './login.js';
import { addRun } from './run.js';
import { addRuns } from './runs.js';
import { addSchemas } from './schemas.js';
import { addServe } from './serve.js';
import { addSettings, isSetting } from './settings.js';
import type { Terminal } from './terminal.js';
import { addTest } from './test.js';

/** A verb says with which code the process ends when that is not 0. */
export type SetExitCode = (code: number) => void;

const verbs: Readonly<Record<string, typeof addServe>> = {
  serve: addServe,
  gateway: addGateway,
  key: addKey,
  install: addInstall,
  discover: addDiscover,
  call: addCall,
  export: addExport,
  'list-tools': addListTools,
  generate: addGenerate,
  schemas: addSchemas,
  run: addRun,
  runs: addRuns,
  test: addTest,
  login: addLogin,
  broker: addBroker,
  doctor: addDoctor,
};

const epilogue = `
Every verb takes the settings as flags: mcp-exec VERB --help lists them.
They may also be given as variables: --timeout-ms as MCP_EXECUTION_TIMEOUT_MS. A flag wins over its variable.

Exit codes: 0 fine, 1 the work failed, 2 wrong usage or input, 3 the machine lacks something, 130 interrupted.

Examples:
  $ mcp-exec serve examples/word-count/word_count.py
  $ mcp-exec install claude-desktop examples/word-count/word_count.py
  $ mcp-exec call examples/word-count/word_count.py count text='to be or not to be'
  $ mcp-exec list-tools --search 'create issue' --config .mcp.json
  $ mcp-exec run report.py --config .mcp.json
  $ mcp-exec test suite.yaml`;

/** Verbs that programs start again and again are made alone: the others would take as long as much of their own work. */
const madeAlone: readonly string[] = ['serve', 'test', 'run', 'call', 'broker'];

export function createProgram(terminal: Terminal, setExitCode: SetExitCode, firstWord = ''): Command {
  const program = new Command('mcp-exec')
    .description(
      'Any Python script becomes an MCP server, and any MCP server a module that a Python script can import.\nEach call runs in a process of its own.',
    )
    .usage('VERB [options]')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [verb]', 'print the help of a verb')
    .configureHelp({ visibleOptions })
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.note })
    .addHelpText('after', epilogue)
    .showHelpAfterError('mcp-exec --help lists the verbs, mcp-exec VERB --help shows how one is used.')
    .hook('preSubcommand', (_program, verb) => completeFlags(verb))
    .exitOverride();
  addSettings(program);
  const made = madeAlone.includes(firstWord) ? [firstWord] : Object.keys(verbs);
  for (const name of made) verbs[name]?.(program, terminal, setExitCode);
  return program;
}

/** With the flags that verbs have only once they are asked for: for a page that shows all of them. */
export async function completeProgram(program: Command): Promise<Command> {
  for (const verb of program.commands) await completeFlags(verb);
  return program;
}

/** The settings belong to the program, so that they may stand anywhere, and are shown with each verb. */
function visibleOptions(command: Command): Option[] {
  const own = new Help().visibleOptions(command);
  if (command.parent === null) return own.filter((option) => !isSetting(option));
  const program = command.parent.parent ?? command.parent;
  return [...own, ...program.options.filter(isSetting)];
}
