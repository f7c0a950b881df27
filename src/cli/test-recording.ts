import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { type Recording, recordSession } from '../services/record.js';
import { claimStdout } from './claim-stdout.js';
import { counted } from './code-failures.js';
import { createCodeLog } from './code-log.js';
import { harmless } from './harmless.js';
import { areRead, listenForEnd, type Streams } from './serving-end.js';
import type { Terminal } from './terminal.js';
import { reportTestFailure } from './test-failure.js';
import { refuseJson } from './test-files.js';
import type { ServerWords, TestFlags, TestSettings } from './test-flags.js';
import { tellLeftOut, tellVariables } from './test-left-out.js';
import { wrongFlag } from './test-mistakes.js';
import { type NamedServer, namedServer } from './test-server.js';

export interface RecordRequest {
  readonly server: ServerWords;
  readonly flags: TestFlags & { readonly record: string };
}

export interface RecordStreams extends Streams {
  readonly errors: Writable;
}

const failedExitCode = 1;

/** Stands between a client, on standard input and output, and a server, until one of them leaves. */
export async function recordSuite(
  request: RecordRequest,
  settings: TestSettings,
  terminal: Terminal,
  given?: RecordStreams,
): Promise<number> {
  try {
    const { record: file } = request.flags;
    refuseJson(file, '--record');
    refuseBoth(request.server);
    const log = createCodeLog(settings, { end: () => {} }, terminal);
    const named = await namedServer(request.server, resolve(dirname(file)), settings, log, terminal.environment);
    const streams = given ?? {
      input: process.stdin,
      output: claimStdout(),
      errors: process.stderr,
      abandon: process.exit,
    };
    return await recordTo(request, named, terminal, streams);
  } catch (error) {
    return reportTestFailure(error, terminal);
  }
}

function refuseBoth({ url, words }: ServerWords): void {
  if (url === undefined || words.length === 0) return;
  throw wrongFlag('--url', 'a server is recorded at its address, or as a command, not both; start it before');
}

async function recordTo(
  { flags }: RecordRequest,
  named: NamedServer,
  terminal: Terminal,
  { input, output, errors, abandon }: RecordStreams,
): Promise<number> {
  const { environment } = terminal;
  const { target, input: server, taken, python } = named;
  const { record: file, force } = flags;
  const end = listenForEnd(terminal.interrupt);
  const note = (line: string) => terminal.note(`${harmless(line)}\n`);
  if (input.isTTY) note('Waiting for an MCP client on standard input: let one start this command. Ctrl-C ends.');
  const [{ createLogins }, { givenByClient }] = await Promise.all([
    import('../client/oauth/logins.js'),
    import('../services/record-environment.js'),
  ]);
  const logins = createLogins({ environment, note });
  const streams = { stdin: input, stdout: output, stderr: errors };
  const { signal } = end;
  try {
    const recording = await recordSession({
      ...streams,
      target,
      server,
      file,
      force,
      environment,
      given: givenByClient(environment),
      taken,
      python,
      logins,
      signal,
      note,
    });
    tellRecording(recording, terminal);
    const exitCode = end.exitCode() || exitCodeOf(recording);
    if (abandon && !(await areRead([output, errors]))) abandon(exitCode);
    return exitCode;
  } finally {
    input.destroy();
  }
}

function tellRecording({ file, cases, leftOut, variables, end }: Recording, terminal: Terminal): void {
  const note = (text: string) => terminal.note(`${harmless(text)}\n`);
  if (end.by === 'server') note(`${end.message}.`);
  tellLeftOut(leftOut, terminal);
  tellVariables(variables, terminal);
  if (file === undefined) note('Nothing was recorded, and no suite was written.');
  else note(`${file} has ${counted(cases, 'case')}. Next: mcp-exec test ${file}`);
}

/** A server that ends by itself, in the middle, is seldom what was meant. */
function exitCodeOf({ end }: Recording): number {
  return end.by === 'server' && end.exitCode !== 0 ? failedExitCode : 0;
}
