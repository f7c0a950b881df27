import type { CodeExecution, ExecuteResult } from '../codemode/code-execution.js';
import { ExecutionError, LimitError } from '../errors.js';
import type { CallRecord } from '../toolbox.js';
import { counted } from './code-failures.js';
import { fileAsJson, mentionFiles, saveFiles } from './files.js';
import { harmless, harmlessLines, printableJson } from './harmless.js';
import { formatTable } from './table.js';
import { paint, type Terminal } from './terminal.js';

interface ReportFlags {
  readonly save?: string;
  readonly files?: string;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

const unsavedExitCode = 1;

/** What is left to show of a run whose output was seen already. Gives the exit code. */
export async function showRun(
  result: ExecuteResult,
  flags: ReportFlags,
  code: CodeExecution,
  terminal: Terminal,
): Promise<number> {
  const files = result.files;
  const isKept = flags.files === undefined || (await saveFiles(files, flags.files, terminal));
  if (flags.json) terminal.out(`${printableJson({ ...result, files: files.map(fileAsJson) })}\n`);
  else {
    if (flags.files === undefined) mentionFiles(files, terminal, '--files');
    await printValue(result, code, terminal);
    for (const warning of result.warnings)
      terminal.note(`${paint(terminal, 'bold', 'warning:')} ${harmless(warning)}\n`);
    showCalls(result.calls, flags, terminal, result.callCount);
    if (result.saved !== undefined) terminal.note(`Saved: mcp-exec run ${result.saved} runs it again.\n`);
  }
  return isKept && (flags.save === undefined || result.saved !== undefined) ? 0 : unsavedExitCode;
}

/** The calls that a script had made before it failed. */
export function showFailedRun(error: unknown, flags: ReportFlags, terminal: Terminal): void {
  if (error instanceof ExecutionError) showCalls(error.details.calls ?? [], flags, terminal);
}

/** What is too long for a result was kept, and is wanted here whole. */
async function printValue(
  { run, value, cut }: ExecuteResult,
  code: CodeExecution,
  { out, outWatched }: Terminal,
): Promise<void> {
  const long = cut.find(({ stream }) => stream === 'value');
  if (value === null && long === undefined) return;
  if (long !== undefined && long.file === undefined) throw lost(long.bytes);
  const text = asText(long ? JSON.parse(await code.readOutput({ run, stream: 'value' })) : value);
  out(`${outWatched ? harmlessLines(text) : text}\n`);
}

function lost(bytes: number): LimitError {
  const message = `What the script gave back takes ${bytes.toLocaleString('en')} bytes, and such is not kept here`;
  return new LimitError('RESULT_LIMIT', `${message}: raise --shown-bytes or --keep-runs, or give back less`);
}

function asText(value: ExecuteResult['value']): string {
  return typeof value === 'string' ? value : printableJson(value);
}

function showCalls(
  calls: readonly CallRecord[],
  { verbose }: ReportFlags,
  terminal: Terminal,
  count = calls.length,
): void {
  if (calls.length === 0) return;
  if (verbose) {
    const rows = calls.map(({ atMs, wallMs, server, tool, outcome, code }) => [
      atMs.toFixed(0),
      wallMs.toFixed(0),
      `${server}/${tool}`,
      [outcome, code].filter(Boolean).join(' '),
    ]);
    terminal.note(formatTable(columns, rows, terminal));
    if (count > calls.length)
      terminal.note(`${counted(count, 'tool call')}, of which the first and the last are shown\n`);
  } else if (terminal.watched) terminal.note(`${paint(terminal, 'dim', harmless(summaryOf(calls, count)))}\n`);
}

const columns = [
  { title: 'at ms', isNumber: true },
  { title: 'ms', isNumber: true },
  { title: 'tool' },
  { title: 'outcome' },
];

const mostToolsShown = 5;

/** `12 tool calls, 1 of them failed: github/list_issues 10, slack/post 2` */
function summaryOf(calls: readonly CallRecord[], count: number): string {
  const counts = new Map<string, number>();
  for (const { server, tool } of calls) {
    const name = `${server}/${tool}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const unlucky = calls.filter(({ outcome }) => outcome !== 'done').length;
  const ranked = [...counts].sort(([, one], [, other]) => other - one);
  const shown = ranked.slice(0, mostToolsShown).map(([name, count]) => `${name} ${count}`);
  const more = ranked.length > mostToolsShown ? ` and ${ranked.length - mostToolsShown} more` : '';
  const failed = unlucky === 0 ? '' : `, ${unlucky} of them failed`;
  return `${counted(count, 'tool call')}${failed}: ${shown.join(', ')}${more}`;
}
