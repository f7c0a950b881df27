import { Command, Help, type Option } from 'commander';
import { addCall } from './call.js';
import { addDiscover } from './discover.js';
import { addDoctor } from './doctor.js';
import { addExport } from './export.js';
import { addGateway } from './gateway.js';
import { addInstall } from './install.js';
import { addKey } from './key.js';
import { addServe } from './serve.js';
import { addSettings, isSetting } from './settings.js';
import type { Terminal } from './terminal.js';
import { packageVersion } from './version.js';

/** A verb says with which code the process ends when that is not 0. */
export type SetExitCode = (code: number) => void;

const verbs = [addServe, addGateway, addKey, addInstall, addDiscover, addCall, addExport, addDoctor];

const epilogue = `
Every verb takes the settings as flags: mcp-exec VERB --help lists them.
They may also be given as variables: --timeout-ms as MCP_EXECUTION_TIMEOUT_MS. A flag wins over its variable.

Exit codes: 0 fine, 1 the work failed, 2 wrong usage or input, 3 the machine lacks something, 130 interrupted.

Examples:
  $ mcp-exec serve examples/word-count/word_count.py
  $ mcp-exec install claude-desktop examples/word-count/word_count.py
  $ mcp-exec call examples/word-count/word_count.py count text='to be or not to be'`;

export function createProgram(terminal: Terminal, setExitCode: SetExitCode): Command {
  const program = new Command('mcp-exec')
    .description('Any Python script becomes an MCP server, and each call runs in a process of its own.')
    .usage('VERB [options]')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [verb]', 'print the help of a verb')
    .configureHelp({ visibleOptions })
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.note })
    .addHelpText('after', epilogue)
    .showHelpAfterError('mcp-exec --help lists the verbs, mcp-exec VERB --help shows how one is used.')
    .exitOverride();
  addSettings(program);
  for (const addVerb of verbs) addVerb(program, terminal, setExitCode);
  return program;
}

/** The settings belong to the program, so that they may stand anywhere, and are shown with each verb. */
function visibleOptions(command: Command): Option[] {
  const own = new Help().visibleOptions(command);
  if (command.parent === null) return own.filter((option) => !isSetting(option));
  return [...own, ...command.parent.options.filter(isSetting)];
}
