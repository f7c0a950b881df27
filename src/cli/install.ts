import type { Command } from 'commander';
import { CallerError, LimitError } from '../errors.js';
import { mcpExecPath, packageVersion } from '../python/package.js';
import { addSelection, findTools, type Selection } from './exploring.js';
import { reportFailure } from './failure.js';
import type { Entry } from './install/entry.js';
import type { Installation } from './install/installation.js';
import type { SetExitCode } from './program.js';
import { paint, type Terminal } from './terminal.js';

const details = `
Clients: claude-desktop, claude-code, cursor, vscode, windsurf, codex.

The change is shown, and asked about where a person is at the terminal. A copy of the file as it was stays beside it; comments and
everything else in the file stay as they are. Settings given here, --only and --exclude become flags of the server; further
flags of serve stand after --.

Examples:
  $ mcp-exec install claude-desktop weather.py
  $ mcp-exec install cursor tools/ --name my-tools --project --only 'read_*' --timeout-ms 10000
  $ mcp-exec install codex weather.py --env API_KEY=abc --dry-run
  $ mcp-exec install vscode weather.py --yes -- --watch
  $ mcp-exec install claude-code weather.py --remove`;

interface Flags extends Selection {
  readonly name?: string;
  readonly config?: string;
  readonly project?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly dryRun?: boolean;
  readonly remove?: boolean;
  readonly yes?: boolean;
}

export function addInstall(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addSelection(program.command('install'))
    .summary('add scripts to an MCP client')
    .description(
      'Writes scripts into the configuration of an MCP client, as a server that the client starts by itself.',
    )
    .argument('<client>', 'the client')
    .argument('[scripts...]', 'Python files, folders or manifests; flags of serve after --')
    .option('--name <name>', 'what the client calls the server; else the name of the first script')
    .option('--env <name=value>', 'a variable for the server; may be repeated', addVariable)
    .option('--project', "write the project's file in this folder and not the user's")
    .option('--config <file>', 'write this file')
    .option('--remove', 'take the server out again')
    .option('--dry-run', 'print the change and write nothing')
    .option('-y, --yes', 'write without asking')
    .addHelpText('after', details)
    .action(async (client: string, words: readonly string[], flags: Flags, command: Command) => {
      try {
        await install(client, words, flags, command, terminal);
      } catch (error) {
        setExitCode(reportFailure(error, terminal));
      }
    });
}

async function install(
  client: string,
  words: readonly string[],
  flags: Flags,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { findClient, thisMachine } = await import('../client/config/clients.js');
  const { splitWords } = await import('./install/serve-words.js');
  const { planInstallation } = await import('./install/installation.js');
  findClient(client);
  const { scripts, passedOn } = splitWords(words);
  const name = await nameOf(scripts, flags);
  const server = flags.remove ? undefined : await prepareServer(scripts, passedOn, flags, command, terminal);
  const place = { client, config: flags.config, project: flags.project };
  const plan = await planInstallation(place, thisMachine(terminal.environment), name, server?.entry);
  if (plan.diff.length === 0) {
    const state = server === undefined ? `has no server ${name}` : 'says so already';
    return terminal.note(`Nothing to do: ${plan.file} ${state}.\n`);
  }
  if (flags.dryRun) return terminal.out(asText(plan, (_, line) => line));
  terminal.note(asText(plan, (style, line) => paint(terminal, style, line)));
  if (!(await isWanted(flags, terminal))) throw new LimitError('CANCELLED', 'Nothing was written');
  const { replaceConfig } = await import('./install/config-file.js');
  const backup = await replaceConfig(plan.config, plan.text);
  if (backup !== undefined) terminal.note(`The file as it was: ${backup}\n`);
  const { title, afterwards } = plan.client;
  const outcome =
    server === undefined ? `${title} has no server ${name} any more.` : sentence(title, name, server.tools);
  terminal.note(`${outcome}\n${afterwards}\n`);
}

async function nameOf(scripts: readonly string[], { name, remove }: Flags): Promise<string> {
  const { serverName } = await import('./install/serve-words.js');
  if (scripts.length === 0 && !(remove && name)) throw wrong('scripts', 'name at least one script');
  const chosen = name ?? serverName(scripts);
  if (/^[A-Za-z0-9_-]{1,64}$/.test(chosen)) return chosen;
  throw wrong('--name', `"${chosen}" is not made of letters, digits, hyphens and underscores, 64 at the most`);
}

async function prepareServer(
  scripts: readonly string[],
  passedOn: readonly string[],
  flags: Flags,
  command: Command,
  terminal: Terminal,
): Promise<{ entry: Entry; tools: readonly string[] }> {
  const { entryFor } = await import('./install/entry.js');
  const { serveWords } = await import('./install/serve-words.js');
  const entry = entryFor(ownCommand(), serveWords(command, terminal.environment, scripts, passedOn), flags.env ?? {});
  const { tools } = await findTools(scripts, flags, command, terminal);
  return { entry, tools: tools.filter(({ enabled }) => enabled).map(({ name }) => name) };
}

function ownCommand() {
  return { node: process.execPath, bin: mcpExecPath(), version: packageVersion(), platform: process.platform };
}

function asText(
  { file, diff }: Installation,
  painted: (style: 'red' | 'green' | 'cyan', line: string) => string,
): string {
  const lines = diff.map((line) => {
    if (line.startsWith('-')) return painted('red', line);
    if (line.startsWith('+')) return painted('green', line);
    return line.startsWith('@@') ? painted('cyan', line) : line;
  });
  return [`--- ${file}`, `+++ ${file}`, ...lines, ''].join('\n');
}

async function isWanted({ yes }: Flags, { watched, interrupt }: Terminal): Promise<boolean> {
  if (yes || !watched || process.stdin.isTTY !== true) return true;
  const { confirm } = await import('./install/ask.js');
  return await confirm('Write this?', { signal: interrupt });
}

function sentence(title: string, name: string, tools: readonly string[]): string {
  const shown = tools.slice(0, 8).join(', ');
  const more = tools.length > 8 ? ` and ${tools.length - 8} more` : '';
  return `${title} will see ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} of ${name}: ${shown}${more}.`;
}

function addVariable(word: string, earlier: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined || value === undefined) throw wrong('--env', `"${word}" is not of the form NAME=value`);
  return { ...earlier, [name]: value };
}

function wrong(argument: string, reason: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${argument}: ${reason}`, { argument });
}
