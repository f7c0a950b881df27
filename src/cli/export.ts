import { relative, sep } from 'node:path';
import type { Command } from 'commander';
import type { Exported } from '../server/export/export.js';
import { addSelection, findTools, type Selection } from './exploring.js';
import { reportFailure } from './failure.js';
import type { SetExitCode } from './program.js';
import { paint, type Terminal } from './terminal.js';

const details = `
What is written: the scripts with the local modules that they import, in scripts/; tools.json, where "enabled" may be edited; the server
in one file; and a README.md. It runs with "node server.mjs" wherever there are Node 20.19 and Python 3.10 or newer.

A module is local where it lies beside the script: a file, or a package with all that is in it. Data files are taken along by --include,
as seen from the folder of the script: data.csv, 'templates/**/*.html', a folder.

Examples:
  $ mcp-exec export weather.py --to weather-server
  $ mcp-exec export weather.py --to weather.mcpb --include 'data/*.csv' --bundle-version 1.2.0
  $ mcp-exec export tools/ --to tools-server --only 'read_*'`;

interface Flags extends Selection {
  readonly to: string;
  readonly include?: readonly string[];
  readonly name?: string;
  readonly bundleVersion?: string;
  readonly description?: string;
  readonly author?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function addExport(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addSelection(program.command('export'))
    .summary('write a standalone MCP server')
    .description('Writes scripts as an MCP server that runs with Node and Python alone.')
    .argument('<scripts...>', 'Python files, folders or manifests')
    .requiredOption('--to <path>', 'a folder, or a file that ends in .mcpb')
    .option('--include <pattern>', 'further files; may be repeated', addPattern)
    .option('--name <name>', 'the name of the server; else that of the first script')
    .option('--bundle-version <version>', 'the version of the server; else 0.1.0')
    .option('--description <text>', 'one sentence on the server; else from the first script')
    .option('--author <name>', 'who answers for the server')
    .option('--force', 'replace a folder that is no earlier export; what is in it is lost')
    .option('--json', 'print one JSON object that says what was written')
    .addHelpText('after', details)
    .action(async (scripts: readonly string[], flags: Flags, command: Command) => {
      try {
        tell(await write(scripts, flags, command, terminal), flags, terminal);
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}

async function write(
  scripts: readonly string[],
  flags: Flags,
  command: Command,
  terminal: Terminal,
): Promise<Exported> {
  const manifest = await findTools(scripts, flags, command, terminal);
  const { exportScripts } = await import('../server/export/export.js');
  const { to, include, force, name, bundleVersion: version, description, author } = flags;
  return await exportScripts({
    manifest,
    to,
    include,
    force,
    name,
    version,
    description,
    author,
    signal: terminal.interrupt,
  });
}

function tell(exported: Exported, { json }: Flags, terminal: Terminal): void {
  for (const warning of exported.warnings) terminal.note(`${paint(terminal, 'yellow', 'Mind:')} ${warning}\n`);
  if (json) return terminal.out(`${JSON.stringify(exported, null, 2)}\n`);
  const { to, tools, files, bytes, name, version, kind } = exported;
  const place = shortest(to);
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  terminal.note(`Wrote ${name} ${version} with ${count} to ${place}: ${files} files, ${sizeOf(bytes)}.\n`);
  terminal.note(kind === 'folder' ? nextOfFolder(place) : nextOfArchive(place));
}

function nextOfFolder(place: string): string {
  return `Run it: node ${quoted(`${place}${sep}server.mjs`)}\n${place}${sep}README.md says how clients are told of it.\n`;
}

function nextOfArchive(place: string): string {
  return `Open it with Claude Desktop, or unpack it: npx @anthropic-ai/mcpb unpack ${quoted(place)} FOLDER\n`;
}

function shortest(path: string): string {
  const near = relative(process.cwd(), path);
  return near !== '' && !near.startsWith('..') ? near : path;
}

function quoted(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : `"${path}"`;
}

function sizeOf(bytes: number): string {
  const megabytes = bytes / 1e6;
  return megabytes >= 1 ? `${megabytes.toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}

function addPattern(pattern: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, pattern];
}
