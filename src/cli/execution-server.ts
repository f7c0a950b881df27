import { Command, CommanderError } from 'commander';
import { packageVersion } from '../python/package.js';
import { addCodeFlags, completeFlags, readCodeSettings } from './code-flags.js';
import { reportFailure } from './failure.js';
import { addSettings, withLoneFlags } from './settings.js';
import type { Terminal } from './terminal.js';

/** What the user permits at the start, for as long as the server runs. */
export interface ExecutionServerFlags {
  readonly safe?: readonly string[];
  readonly acceptReadOnly?: boolean;
  readonly acceptChanges?: boolean;
}

const usageExitCode = 2;

const details = `
An agent that is given this server has three tools: generate_wrappers, discover_schemas and execute_script. It writes Python that calls the
tools of the servers in the config, and reads only what the script shows. Scripts run under profile strict: no network, no files of this
machine, no secrets of the config. The server speaks MCP on standard input and output, and logs to stderr.

In the config of an MCP client:
  { "mcpServers": { "code": { "command": "mcp-execution-server",
                              "args": ["--config", "/home/me/mcp_config.json", "--workspace", "/home/me/agent"] } } }

Every setting may also be given as a variable: --timeout-ms as MCP_EXECUTION_TIMEOUT_MS, --max-calls as MCP_EXECUTION_CODE_MAX_CALLS.

Examples:
  $ mcp-execution-server --config mcp_config.json --workspace agent
  $ mcp-execution-server --config mcp_config.json --deny-tools 'github/delete_*' --safe github/list_issues
  $ mcp-exec gateway --command 'code=mcp-execution-server --config mcp_config.json --workspace agent'`;

/** Runs one command line of mcp-execution-server; the exit code is what the work came to. */
export async function runExecutionServer(words: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0;
  try {
    const program = await createProgram(terminal);
    program.action(async (flags: ExecutionServerFlags, command: Command) => {
      const settings = await readCodeSettings(command, terminal.environment);
      const { serveExecution } = await import('./execution-server-serving.js');
      exitCode = await serveExecution(settings, flags, terminal);
    });
    await program.parseAsync(withLoneFlags(words), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    return reportFailure(error, terminal);
  }
}

/** The command with all its flags, for its help and for a page that shows it. */
export async function createProgram(terminal: Pick<Terminal, 'out' | 'note'>): Promise<Command> {
  const program = new Command('mcp-execution-server')
    .description('An MCP server with which an agent writes Python that calls many MCP servers.')
    .usage('[--config FILE] [--workspace DIR] [options]')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.note })
    .addHelpText('after', details)
    .showHelpAfterError('mcp-execution-server --help shows how it is used.')
    .allowExcessArguments(false)
    .exitOverride();
  await completeFlags(addCodeFlags(program));
  program
    .optionsGroup('What the agent may do:')
    .option('--safe <server/tool[=json]>', 'a tool that discover_schemas may call, with arguments; repeatable', addWord)
    .option('--accept-read-only', 'discover_schemas may also call tools that say that they change nothing')
    .option('--accept-changes', 'generate_wrappers takes over tools that changed since they were generated');
  addSettings(program);
  return program;
}

function addWord(word: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, word];
}
