import { dirname, resolve } from 'node:path';
import { serverEnvironment } from '../client/command/environment.js';
import { ExecutionError } from '../errors.js';
import { type Draft, draftSuite } from '../harness/init/init.js';
import { writeSuite } from '../harness/record/writer.js';
import { counted } from './code-failures.js';
import { createCodeLog } from './code-log.js';
import { harmless, harmlessLines } from './harmless.js';
import { createLive, type Live } from './live.js';
import { columnsOf, cut } from './table.js';
import { paint, type Terminal } from './terminal.js';
import { reportTestFailure } from './test-failure.js';
import { prepareSuiteFile, writeWhole } from './test-files.js';
import type { InitFlags, ServerWords, TestSettings } from './test-flags.js';
import { tellLeftOut, tellVariables } from './test-left-out.js';
import { namedServer } from './test-server.js';

export interface InitRequest {
  readonly server: ServerWords;
  readonly flags: InitFlags;
}

const usualName = 'suite.yaml';
const answerMs = 10_000;
const mostWords = 20;

/** Writes a first suite for a server, and tells what is not in it. */
export async function initSuite(
  { server, flags }: InitRequest,
  settings: TestSettings,
  terminal: Terminal,
): Promise<number> {
  const live = createLive(terminal);
  try {
    const { out, force } = flags;
    if (out !== undefined) await prepareSuiteFile(out, '--out', force);
    const draft = await drafted({ server, flags }, out ?? usualName, settings, live, terminal);
    live.end();
    const text = writeSuite(draft.suite, draft.notes);
    if (out !== undefined) await writeWhole(out, text);
    else terminal.out(terminal.outWatched ? harmlessLines(text) : text);
    tellDraft(draft, out, terminal);
    return 0;
  } catch (error) {
    live.end();
    tellLastWords(error, terminal);
    const exitCode = reportTestFailure(error, terminal);
    tellEnvironment(error, server, terminal);
    return exitCode;
  }
}

async function drafted(
  { server, flags }: InitRequest,
  file: string,
  settings: TestSettings,
  live: Live,
  terminal: Terminal,
): Promise<Draft> {
  const { environment, interrupt: signal } = terminal;
  const note = (line: string) => live.draw(cut(harmless(`${line} …`), columnsOf(terminal) - 1));
  const log = createCodeLog(settings, live, terminal);
  const { input, taken, open } = await namedServer(server, resolve(dirname(file)), settings, log, environment);
  note('Starting the server');
  const opened = await open({ signal });
  try {
    return await draftSuite(opened, {
      server: input,
      environment,
      taken,
      mayCall: flags.call,
      timeoutMs: answerMs,
      file,
      open: (options) => open({ signal, ...options }),
      signal,
      note,
    });
  } finally {
    await opened.close();
  }
}

/** What a server wrote before it ended says more than that it ended. */
function tellLastWords(error: unknown, terminal: Terminal): void {
  const { stderr = '' } = error instanceof ExecutionError ? error.details : {};
  for (const line of stderr.split('\n').slice(-mostWords)) {
    if (line.trim() !== '') terminal.note(`${paint(terminal, 'dim', `  | ${harmless(line)}`)}\n`);
  }
}

/** A server that ends at once often lacks a variable that the person has set. */
function tellEnvironment(error: unknown, { env = [] }: ServerWords, terminal: Terminal): void {
  if (!(error instanceof ExecutionError) || error.details.exitCode === undefined) return;
  const names = [...Object.keys(serverEnvironment()), ...env.map((word) => word.replace(/=.*/s, ''))];
  terminal.note(`The variables that it got are ${names.join(', ')}; --env NAME gives it more.\n`);
}

function tellDraft({ suite, leftOut, variables }: Draft, out: string | undefined, terminal: Terminal): void {
  tellLeftOut(leftOut, terminal);
  tellVariables(variables, terminal);
  const skipped = suite.cases?.filter(({ skip }) => skip !== undefined).length ?? 0;
  const cases = `${counted(suite.cases?.length ?? 0, 'case')}${skipped > 0 ? ` (${skipped} skipped)` : ''}`;
  const parts = [cases, counted(checksIn(suite), 'check')];
  const next = out === undefined ? 'Put it into a file; mcp-exec test FILE runs it.' : `Next: mcp-exec test ${out}`;
  terminal.note(`${out === undefined ? 'The suite' : harmless(out)} has ${parts.join(' and ')}. ${harmless(next)}\n`);
}

function checksIn({ checks }: Draft['suite']): number {
  return typeof checks === 'object' ? Object.values(checks).filter((check) => check !== false).length : 0;
}
