import type { Command } from 'commander';
import type { Settings } from '../config.js';
import type { Exploration, ScriptProblem } from '../manifest/explore.js';
import type { Manifest } from '../manifest/manifest.js';
import { addSelection, type Selection } from './exploring.js';
import { describeFailure, reportFailure } from './failure.js';
import type { SetExitCode } from './program.js';
import { readSettings } from './settings.js';
import { columnsOf } from './table.js';
import { paint, type Terminal } from './terminal.js';

const details = `
Nothing of a script is executed: its source is read by the parser of Python.
A folder stands for all Python files in it and in its folders, without tests, setup.py, __init__.py and what is hidden.
A manifest (.json) stands for its scripts: those that changed are discovered again, and keep what it says is enabled.
--json and --out give the manifest, with paths relative to the current folder, or to that of the file.

Examples:
  $ mcp-exec discover examples/word-count/word_count.py
  $ mcp-exec discover report.py --explain
  $ mcp-exec discover scripts --only 'load_*' --exclude load_secrets --out tools.json
  $ mcp-exec discover tools.json --out tools.json`;

const problemExitCode = 1;

interface Flags extends Selection {
  readonly json?: boolean;
  readonly out?: string;
  readonly explain?: boolean;
  readonly cache: boolean;
}

export function addDiscover(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  addSelection(program.command('discover'))
    .summary('show the tools that scripts become')
    .description('Shows the tools that Python scripts become, and why; or writes them to a manifest.')
    .argument('<scripts...>', 'Python files, folders of them, or manifests')
    .option('--json', 'print the manifest; with --explain one JSON object: manifest, leftOut, problems and notes')
    .option('--out <file>', 'write the manifest to this file')
    .option('--explain', 'say for every function why it is a tool or is none, and what to write to change that')
    .option('--no-cache', 'discover anew, and keep nothing in the cache')
    .addHelpText('after', details)
    .action(async (scripts: readonly string[], flags: Flags, command: Command) => {
      try {
        const exploration = await look(scripts, flags, readSettings(command, terminal.environment), terminal);
        await handOver(exploration, flags, terminal);
        if (exploration.problems.length > 0) setExitCode(problemExitCode);
      } catch (error) {
        setExitCode(reportFailure(error, terminal, flags.json));
      }
    });
}

async function look(
  scripts: readonly string[],
  { only, exclude, cache, out }: Flags,
  { python, cacheDir, logLevel, secrets }: Settings,
  terminal: Terminal,
): Promise<Exploration> {
  if (out !== undefined) await (await import('./manifest-file.js')).refuseOtherFile(out);
  const { explore } = await import('../manifest/explore.js');
  const { createLog } = await import('../log.js');
  const { environment, interrupt: signal } = terminal;
  const log = createLog({ level: logLevel, secrets, environment, write: terminal.note });
  const options = { python, cacheDir, environment, only, exclude, useCache: cache, signal, log };
  const exploration = await explore(scripts, options);
  const [first, ...others] = exploration.problems;
  for (const note of exploration.notes) terminal.note(`${note}\n`);
  if (first === undefined || exploration.manifest.scripts.length > 0) return exploration;
  // Nothing is left to show: the first problem is what this came to.
  for (const problem of others) noteProblem(problem, terminal);
  throw first.error;
}

async function handOver(exploration: Exploration, { json, out, explain }: Flags, terminal: Terminal): Promise<void> {
  const { manifest, problems, leftOut, notes } = exploration;
  for (const problem of problems) noteProblem(problem, terminal);
  if (out !== undefined) {
    const { writeManifest } = await import('../manifest/read-write.js');
    await writeManifest(manifest, out);
    terminal.note(`Wrote ${out}: ${countOf(manifest)}\n`);
  }
  if (json) {
    const { manifestText } = await import('../manifest/read-write.js');
    const text = manifestText(manifest, process.cwd());
    const failures = problems.map(({ path, error }) => ({ path, error: describeFailure(error) }));
    const whole = { manifest: JSON.parse(text), leftOut, problems: failures, notes };
    terminal.out(explain ? `${JSON.stringify(whole, null, 2)}\n` : text);
  } else if (out === undefined || explain) {
    const { describeTools, explainTools } = await import('./report-tools.js');
    const page = {
      width: columnsOf(terminal),
      paint: (style: Parameters<typeof paint>[1], text: string) => paint(terminal, style, text),
      folder: process.cwd(),
    };
    terminal.out(explain ? explainTools(exploration, page) : describeTools(exploration, page));
    if (terminal.watched && !explain) terminal.note(`\n${countOf(manifest)}; --explain says why\n`);
  }
}

function noteProblem({ path, error }: ScriptProblem, terminal: Terminal): void {
  // Where a line of the script is shown, its file is too.
  if (error.details.text === undefined) terminal.note(`${path}\n`);
  reportFailure(error, terminal);
}

function countOf({ tools }: Manifest): string {
  const off = tools.filter((tool) => !tool.enabled).length;
  return `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}${off === 0 ? '' : `, ${off} of them off`}`;
}
