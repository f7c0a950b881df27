import { basename } from 'node:path';
import type { Log } from '../../log.js';
import { createLineLog } from '../command/line-log.js';
import { logLines, restMs, sentenceOf, within } from '../command/link.js';
import type { ProcessEnd, ServerProcess } from '../command/process.js';
import { type StartOptions, startCommand } from '../command/started.js';
import { serverFailed } from '../failures.js';
import type { Link, Reason } from '../link.js';
import type { CommandTarget, UrlTarget } from '../target.js';
import { createHeard, type Heard } from './heard.js';
import { somebodyListens } from './listening.js';
import type { Redact } from './redacted.js';
import { onProcess } from './served-link.js';

/** A command that listens at an address, where MCP is spoken with it. */
export interface ServedTarget {
  readonly command: CommandTarget;
  readonly address: UrlTarget;
}

/** One process at a time, because two cannot listen at one address. */
export interface ServedCommand {
  /** Starts it where it does not run. It runs until all who took it have let it go. */
  take(): Promise<ServedProcess>;
}

/** The process, for one who took it. */
export interface ServedProcess {
  readonly life: Life;
  /** Whether others may have it too. */
  readonly isShared: boolean;
  /** When whoever took it first began to wait for it: its start; for others, when they took it. */
  readonly at: number;
  /** The same way, which is over when the process is; once there was a session on it, its end lets the process go. */
  on(link: Link): Link;
  letGo(): Promise<void>;
}

export interface Life {
  readonly process: ServerProcess;
  /** When it was started, on the clock of this process. */
  readonly at: number;
  /** Nothing that it writes is a message: all of it are its words. */
  readonly heard: Heard;
  /** How it came to its end, once it is gone with all that it started. */
  readonly failure: Reason | undefined;
  readonly gone: Promise<void>;
  end(): Promise<void>;
}

export interface ServedOptions extends StartOptions {
  readonly isShared: boolean;
  readonly log: Log;
  readonly redact: Redact;
}

/** Time to end once it was asked to. */
const graceMs = 1000;

export function createServedCommand(target: ServedTarget, options: ServedOptions): ServedCommand {
  let current: Promise<Life> | undefined;
  let ending: Promise<void> = Promise.resolve();
  let takers = 0;
  return {
    async take() {
      takers += 1;
      let hasIt = true;
      const isFirst = current === undefined;
      const takenAt = performance.now();
      try {
        const life = await running();
        const { isShared } = options;
        return { life, isShared, at: isFirst ? life.at : takenAt, letGo, on: (link) => onProcess(link, life, letGo) };
      } catch (error) {
        await letGo();
        throw error;
      }

      async function letGo(): Promise<void> {
        if (hasIt) takers -= 1;
        hasIt = false;
        if (takers === 0) await end();
      }
    },
  };

  function running(): Promise<Life> {
    if (current) return current;
    const started = ending.then(() => start(target, options, forget));
    started.catch(forget);
    current = started;
    return started;

    function forget(): void {
      if (current === started) current = undefined;
    }
  }

  function end(): Promise<void> {
    const last = current;
    current = undefined;
    if (last) ending = last.then(({ end: endLife }) => endLife()).catch(() => {});
    return ending;
  }
}

/** What answers there already would be tested in its place. */
async function start({ command, address }: ServedTarget, options: ServedOptions, onGone: () => void): Promise<Life> {
  const { origin } = new URL(address.url);
  if (await somebodyListens(address.url)) {
    const advice = 'end that, or let the server listen at another port';
    throw serverFailed(
      `The MCP server was not started, because something listens at ${options.redact(origin)} already; ${advice}`,
    );
  }
  return startLife(command, options, onGone);
}

function startLife(command: CommandTarget, options: ServedOptions, onGone: () => void): Life {
  const { log, redact } = options;
  const { process, at } = startCommand(command, options);
  const heard = createHeard(redact);
  const lines = createLineLog(log);
  const name = basename(command.command);
  for (const stream of [process.stdout, process.stderr]) {
    logLines(stream, (line) => {
      lines.write('the MCP server wrote a line', line);
      heard.hearing.onStderr?.(line);
    });
  }
  let failure: Reason | undefined;
  const gone = process.gone.then(async (how) => {
    await readRest(process);
    failure = reasonOfEnd(how);
    log.debug('a process of an MCP server is gone', { command: name, pid: process.pid, ...how });
    onGone();
  });
  return {
    process,
    at,
    heard,
    get failure() {
      return failure;
    },
    gone,
    async end() {
      process.stdin.end();
      process.terminate();
      if (!(await within(gone, graceMs))) process.kill();
      await gone;
    },
  };

  function reasonOfEnd(how: ProcessEnd): Reason {
    const message = redact(sentenceOf(how, name, options, false, command.command));
    const stderr = heard.lastWords().join('\n');
    const details = {
      ...(how.exitCode !== null && { exitCode: how.exitCode }),
      ...(how.signal && { signal: how.signal }),
      ...(stderr !== '' && { stderr }),
    };
    return () => serverFailed(message, details);
  }
}

async function readRest({ stdin, stdout, stderr }: ServerProcess): Promise<void> {
  const closed = [stdout, stderr].map(
    (stream) => new Promise<void>((resolve) => (stream.closed ? resolve() : stream.once('close', resolve))),
  );
  await within(Promise.all(closed), restMs);
  for (const stream of [stdin, stdout, stderr]) stream.destroy();
}
