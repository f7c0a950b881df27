import type { Command } from 'commander';
import { addCodeFlags, readCodeSettings } from './code-flags.js';
import { reportFailure } from './failure.js';
import type { LoginFlags } from './logging-in.js';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

const details = `
The page on which you say yes is printed, and opened where there is a browser. It comes back to this command on 127.0.0.1,
which takes one answer, to this login alone, and ends. What is kept is for you alone, in a file for each server; scripts, the
MCP server and the gateway use it and renew it by themselves, and never open a page.

Where the browser is on another machine than this command, lead the port there first: ssh -L 8123:127.0.0.1:8123, then --port 8123.

An Authorization header in the config wins over a login. Where the authorization server registers no clients by itself, put the id of
one that you registered into the entry of the server: "oauth": {"clientId": "…", "callbackPort": 8123}.

Logins are kept in mcp-execution/logins of XDG_DATA_HOME, else of ~/.local/share; MCP_EXECUTION_LOGINS_DIR names another folder.

Examples:
  $ mcp-exec login github --config .mcp.json
  $ mcp-exec login https://mcp.example.com/mcp --no-browser --port 8123
  $ mcp-exec login --list
  $ mcp-exec login --logout github`;

export function addLogin(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addCodeFlags(program.command('login'))
    .summary('log in to an MCP server at an address')
    .description('Logs you in to an MCP server at an address (OAuth), and keeps the login.')
    .argument('[server]', 'its name in the config, or its address')
    .option('--no-browser', 'only print the page; open nothing')
    .option('--port <number>', 'the port on 127.0.0.1 that the browser comes back to; not given: one that is free')
    .option('--logout', 'forget the login to the server, and tell its authorization server')
    .option('--list', 'show the logins that there are')
    .addHelpText('after', details)
    .action(async (server: string | undefined, flags: LoginFlags, command: Command) => {
      try {
        const { code } = await readCodeSettings(command, terminal.environment);
        const { login } = await import('./code-verbs.js');
        setExitCode(await login(server, flags, code.config, terminal));
      } catch (error) {
        setExitCode(reportFailure(error, terminal));
      }
    });
}
