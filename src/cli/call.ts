import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { ExecutionError } from '../errors.js';
import type { JsonSchema } from '../toolbox.js';
import type { Called } from './calling.js';
import { addCodeFlags, readCodeSettings } from './code-flags.js';
import { reportFailure } from './failure.js';
import type { SetExitCode } from './program.js';
import { readSettings } from './settings.js';
import type { Terminal } from './terminal.js';

const details = `
A value is read as JSON where it is JSON, and as text otherwise:
  count=3  deep=true  tags='["a","b"]'  name=Ada
  zip=01234         stays text where the parameter takes text and no number
  data:='{"a":1}'   must be JSON, or it is an error
  text=@notes.txt   the text of a file
  data:=@data.json  the JSON of a file
  at='"@home"'      text that begins with @, or that would be read as JSON

The returned value goes to stdout: text as it is, everything else as JSON. What the script prints goes to stderr, live.
Where the tool is a command line, or a whole script, what it prints is the data: it goes to stdout, live.
The script reads nothing from standard input: give it what it needs as arguments, stdin='some text' where it reads that.
Files that come with the result are named on stderr; --save keeps them, and never writes over what is there already.

A target that is no file or folder is the name of an MCP server in the config, or the URL of one. Of its answer, structured content goes
to stdout as JSON, or else text as it is; images and the like are files. An answer that says it failed ends with 1.

Examples:
  $ mcp-exec call examples/word-count/word_count.py count text='to be or not to be'
  $ mcp-exec call examples/invoice/invoice.py total --args @examples/invoice/order.json --json
  $ mcp-exec call report.py write month=5 --profile strict --save reports
  $ mcp-exec call scripts/ report_monthly month=5 verbose=true
  $ mcp-exec call github list_issues owner=a repo=b --config .mcp.json
  $ mcp-exec call https://example.com/mcp search query=words`;

const unsavedExitCode = 1;

interface Flags {
  readonly args?: string;
  readonly json?: boolean;
  readonly save?: string;
}

export function addCall(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addCodeFlags(program.command('call'))
    .summary('call one tool of a script or of an MCP server')
    .description(
      'Calls one tool: a function or the command line of a script, or a tool of an MCP server. Prints what it returns.',
    )
    .argument('<target>', 'a Python file, a folder of them, a manifest; a server of the config, or a URL')
    .argument('<tool>', 'the tool to call: mcp-exec discover and mcp-exec list-tools show them')
    .argument('[arguments...]', 'name=value; wins over the same name in --args')
    .option('--args <json>', 'the arguments as one JSON object, or @file')
    .option('--json', 'print one JSON object: value, stdout, stderr, logs, files, exitCode and figures, or error')
    .option('--save <folder>', 'write the files that come with the result to this folder')
    .addHelpText('after', details)
    .action(async (target: string, name: string, words: readonly string[], flags: Flags, command: Command) => {
      try {
        if (isOfServer(target)) return setExitCode(await callOnServer(target, name, words, flags, command, terminal));
        const called = await call(target, name, words, flags, command, terminal);
        if (!(await handOver(called, flags, terminal))) setExitCode(unsavedExitCode);
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}

/** A path that exists is a script, and so is a name that only a script would have: it is said what is wrong with it. */
function isOfServer(target: string): boolean {
  return statSync(target, { throwIfNoEntry: false }) === undefined && !/\.(py|json)$/i.test(target);
}

async function callOnServer(
  target: string,
  name: string,
  words: readonly string[],
  flags: Flags,
  command: Command,
  terminal: Terminal,
): Promise<number> {
  const settings = await readCodeSettings(command, terminal.environment);
  const argumentsFor = await prepare(words, flags);
  const { callServer } = await import('./code-verbs.js');
  return await callServer({ target, tool: name, argumentsFor, flags }, settings, terminal);
}

/** What is wrong with the words is said before anything is started. */
async function prepare(words: readonly string[], { args, save }: Flags) {
  const { parseArguments } = await import('./arguments.js');
  await parseArguments(words, args);
  if (save !== undefined) await (await import('./files.js')).prepareFolder(save);
  return (inputSchema?: JsonSchema) => parseArguments(words, args, inputSchema);
}

async function call(
  target: string,
  name: string,
  words: readonly string[],
  flags: Flags,
  command: Command,
  terminal: Terminal,
): Promise<Called> {
  const settings = readSettings(command, terminal.environment);
  const argumentsFor = await prepare(words, flags);
  const { callTarget } = await import('./calling.js');
  try {
    return await callTarget({ target, name, argumentsFor, asJson: flags.json === true }, settings, terminal);
  } catch (error) {
    // What a script wrote during an import that failed comes with the error, not as events.
    if (!flags.json && error instanceof ExecutionError && error.details.figures === undefined) {
      const { stdout = '', stderr = '' } = error.details;
      terminal.note(`${stdout}${stderr}`);
    }
    throw error;
  }
}

/** False when a file could not be kept. */
async function handOver({ result, isPrinted }: Called, { json, save }: Flags, terminal: Terminal): Promise<boolean> {
  const { fileAsJson, mentionFiles, saveFiles } = await import('./files.js');
  const saved = save === undefined || (await saveFiles(result.files, save, terminal));
  if (save === undefined && !json) mentionFiles(result.files, terminal);
  const told = json ? { ...result, files: result.files.map(fileAsJson) } : result.value;
  if (isPrinted && told === null) return saved;
  terminal.out(typeof told === 'string' ? `${told}\n` : `${JSON.stringify(told, null, 2)}\n`);
  return saved;
}
