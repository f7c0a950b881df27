import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { type ErrorDetails, LimitError } from '../../errors.js';
import { reference } from '../../log.js';
import { serverFailed } from '../failures.js';
import type { EndOptions, Link, Reason } from '../link.js';
import type { CommandTarget, FilledOptions } from '../target.js';
import { createLineLog } from './line-log.js';
import { createLineCutter } from './lines.js';
import { isUnreadableAnswer } from './messages.js';
import type { ProcessEnd, ServerProcess } from './process.js';
import { startCommand } from './started.js';
import { createStdioTransport, type Hearing, type StdioTransport } from './transport.js';

const longestLine = 64 * 1024;
/** How long output may take to be read once the process is gone; something that left its group may hold it open. */
export const restMs = 500;

/** One process of a command, from its start to the end of all that it started. */
export function openCommand(
  target: CommandTarget,
  options: FilledOptions,
  hearing: Hearing = {},
  { process: started } = startCommand(target, options),
): Link {
  const { log, maxMessageBytes } = options;
  const name = basename(target.command);
  const lines = createLineLog(log);
  const whenOver = () => within(ended, 2 * restMs);
  const transport = createStdioTransport(started, { maxMessageBytes, lines, hearing, onBroken, onClosed, whenOver });
  let failure: Reason | undefined;
  let isClosed = false;
  let wasAsked = false;
  logLines(started.stderr, (line) => {
    lines.write('the MCP server wrote to stderr', line);
    hearing.onStderr?.(line);
  });
  const ended = started.gone.then(async (end) => {
    await readRest(transport, started);
    if (!failure) fail(reasonOfEnd(end, transport.isCutOff));
    log.debug('a process of an MCP server is gone', { command: name, pid: started.pid, ...end, wasAsked });
    return { wasAsked };
  });

  return {
    transport,
    process: started,
    get failure() {
      return failure;
    },
    get isOver() {
      return isClosed || failure !== undefined;
    },
    ended,
    get abandoned() {
      return transport.abandoned;
    },
    hold: (until) => transport.hold(until),
    explain: (error) =>
      isUnreadableAnswer(error) ? serverFailed(`The MCP server ${name} ${error.message}`) : undefined,
    lastWords,
    async end(reason, how = {}) {
      wasAsked ||= failure === undefined;
      fail(reason);
      await endInSteps(how);
      await ended;
    },
  };

  function onBroken(what: string): void {
    if (failure) return;
    fail(logged(`The MCP server ${name} ${what}, and was ended`));
    started.kill();
  }

  /** Mostly because the process is about to be gone, and how it ended says more than that its output did. */
  async function onClosed(): Promise<void> {
    isClosed = true;
    if (!(await within(started.gone, restMs))) onBroken('closed its output');
  }

  function fail(reason: Reason): void {
    failure ??= reason;
    transport.close();
  }

  function reasonOfEnd(end: ProcessEnd, isCutOff: boolean): Reason {
    if (end.limit === 'memory') return memoryLimit(name, options.memoryBytes);
    const details = {
      ...(end.exitCode !== null && { exitCode: end.exitCode }),
      ...(end.signal && { signal: end.signal }),
    };
    return logged(sentenceOf(end, name, options, isCutOff, target.command), details);
  }

  function logged(message: string, details: object = {}): Reason {
    const found = reference();
    log.script.warn('an MCP server failed', {
      command: name,
      message,
      ...details,
      reference: found,
      lines: lines.last(),
    });
    return () => serverFailed(message, { ...details, ...lastWords(), reference: found });
  }

  function lastWords(): Pick<ErrorDetails, 'stderr'> {
    const last = options.tellsLastWords ? lines.last() : [];
    return last.length > 0 ? { stderr: last.join('\n') } : {};
  }

  async function endInSteps({ graceMs = options.graceMs }: EndOptions): Promise<void> {
    if (graceMs > 0) {
      started.stdin.end();
      if (await within(started.gone, graceMs)) return;
      started.terminate();
      if (await within(started.gone, graceMs)) return;
    }
    started.kill();
  }
}

/** For streams whose lines are for people. */
export function logLines(stream: Readable, write: (line: string) => void): void {
  const cutter = createLineCutter(
    longestLine,
    (line) => write(line.toString()),
    () => {
      write('[a line without an end: nothing more of this stream is read into the log]');
      stream.removeAllListeners('data').resume();
    },
  );
  stream.on('data', (chunk: Buffer) => cutter.push(chunk));
  stream.once('end', () => {
    const rest = cutter.end();
    if (rest.length > 0) write(rest.toString());
  });
  stream.on('error', () => {});
}

async function readRest(transport: StdioTransport, { stdin, stdout, stderr }: ServerProcess): Promise<void> {
  const stderrClosed = new Promise<void>((resolve) => {
    if (stderr.closed) resolve();
    else stderr.once('close', resolve);
  });
  await within(Promise.all([transport.readToEnd, stderrClosed]), restMs);
  for (const stream of [stdin, stdout, stderr]) stream.destroy();
}

/** Whether it comes in time. */
export function within(coming: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    coming.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function memoryLimit(name: string, limit: number | undefined): Reason {
  const message = `The MCP server ${name}, with what it had started, held more than ${limit} bytes of memory, and was ended`;
  return () => new LimitError('MEMORY_LIMIT', message, { limit });
}

/** Why a process could not be started, by the word of the system. */
export const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program; check its name and the PATH',
  EACCES: 'it may not be executed; check its permissions',
  ENOEXEC: 'it is no program that this machine can run; a script begins with a line such as #!/usr/bin/env node',
  EMFILE: 'this process has too many files open; raise the limit of open files',
  ENFILE: 'the machine has too many files open',
  EAGAIN: 'the machine has no room for more processes',
  ENOMEM: 'the machine has no memory left',
  E2BIG: 'its arguments and environment are too large together',
  EINVAL: 'an argument, or the name of a variable, holds what the system does not take',
  'no guard': 'the Python that guards it does not run; name one that is 3.10 or newer',
  'no folder': 'the folder that it is to run in does not exist',
};

export function sentenceOf(
  end: ProcessEnd,
  name: string,
  options: Pick<FilledOptions, 'maxProcessesInTree'>,
  isCutOff: boolean,
  command = name,
): string {
  if (end.problem !== undefined) {
    return `The MCP server ${name} could not be started: ${problemOf(end.problem, command)}`;
  }
  if (end.limit === 'processes') {
    return `The MCP server ${name} had more than ${options.maxProcessesInTree} processes at once, and was ended`;
  }
  const how = end.signal === null ? `with exit code ${end.exitCode}` : `by ${end.signal}`;
  return `The MCP server ${name} ended ${how}${isCutOff ? ', in the middle of a message,' : ''} before it answered`;
}

/** A whole line in the place of a program is the usual mistake. What stands behind the program may be a secret. */
function problemOf(problem: string, command: string): string {
  const [program = '', ...others] = command.trim().split(/\s+/);
  if (problem !== 'ENOENT' || others.length === 0) return problems[problem] ?? `the system says ${problem}`;
  return `there is no such program; a command is the program alone: write command: ${basename(program)}, and what follows as args`;
}
