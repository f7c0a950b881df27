import type { CodeExecution, SavedScript } from '../codemode/code-execution.js';
import { CallerError, createError, ExecutionError } from '../errors.js';
import type { JsonObject } from '../toolbox.js';
import { parseObject } from './arguments.js';
import type { CodeVerbSettings } from './code-flags.js';
import type { CodeLive } from './code-live.js';
import { withCode } from './code-session.js';
import { prepareFolder } from './files.js';
import { reportForeignFailure } from './foreign-failure.js';
import { printableJson } from './harmless.js';
import { showFailedRun, showRun } from './run-report.js';
import { type ScriptSource, sourceOf, watchedFile } from './run-source.js';
import { runOnChange } from './run-watch.js';
import { formatTable } from './table.js';
import type { Terminal } from './terminal.js';

export interface RunFlags {
  readonly context?: string;
  readonly save?: string;
  readonly files?: string;
  readonly list?: boolean;
  readonly watch?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

export interface RunRequest {
  readonly script?: string;
  readonly args: readonly string[];
  readonly flags: RunFlags;
}

/** Runs a script with the tools of the servers, once or each time that it is saved; or lists those that were kept. */
export async function run(request: RunRequest, settings: CodeVerbSettings, terminal: Terminal): Promise<number> {
  const { script, flags } = request;
  const asJson = flags.json;
  try {
    const context = flags.context === undefined ? undefined : await parseObject(flags.context, '--context');
    if (flags.files !== undefined) await prepareFolder(flags.files, '--files');
    return await withCode({ settings, terminal, asJson, printsData: !asJson }, async (code, live) => {
      if (flags.list) return listSaved(await code.savedScripts(), flags, terminal);
      if (script === undefined) throw nothingNamed();
      const work = { ...request, context, source: await sourceOf(script, code, terminal) };
      if (!flags.watch) return await runOnce(work, code, live, terminal, terminal.interrupt);
      const file = watchedFile(work.source, code);
      return await runOnChange(file, terminal, (signal) => runAndReport(work, code, live, terminal, signal));
    });
  } catch (error) {
    return reportForeignFailure(error, terminal, asJson);
  }
}

interface Work extends RunRequest {
  readonly source: ScriptSource;
  readonly context?: JsonObject;
}

async function runOnce(
  { source, context, args, flags }: Work,
  code: CodeExecution,
  live: CodeLive,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { save } = flags;
  try {
    const result = await code.executeScript({ ...source, context, args, save, signal, onEvent: live.onEvent });
    live.end();
    return await showRun(result, flags, code, terminal);
  } catch (error) {
    live.end();
    if (!flags.json) showFailedRun(error, flags, terminal);
    throw withAdvice(error);
  }
}

/** The general advice on modules that are missing is to install them. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof ExecutionError) || error.code !== 'IMPORT_ERROR') return error;
  if (!/^servers(\.|$)/.test(error.details.module ?? '')) return error;
  const message = `${error.message}; mcp-exec generate writes servers/ for the servers of the config`;
  return createError(error.code, message, error.details, { cause: error });
}

/** What fails while a person edits is told, and the next run may do better. */
async function runAndReport(...given: Parameters<typeof runOnce>): Promise<void> {
  const [{ flags }, , , terminal, signal] = given;
  try {
    await runOnce(...given);
  } catch (error) {
    if (!signal.aborted) reportForeignFailure(error, terminal, flags.json);
  }
}

function listSaved(scripts: readonly SavedScript[], { json }: RunFlags, terminal: Terminal): number {
  if (json) terminal.out(`${printableJson(scripts)}\n`);
  else if (scripts.length === 0) terminal.note('No script was saved yet: mcp-exec run SCRIPT --save NAME keeps one.\n');
  else {
    const rows = scripts.map(({ name, savedAt, summary }) => [name, savedAt, summary]);
    terminal.out(formatTable([{ title: 'name' }, { title: 'saved' }, { title: 'what it does' }], rows, terminal));
  }
  return 0;
}

function nothingNamed(): CallerError {
  const message = 'Name a Python file, a saved script (mcp-exec run --list shows them), or - for standard input';
  return new CallerError('INVALID_ARGUMENTS', message, { argument: 'script' });
}
