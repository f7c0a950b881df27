import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { createLineCutter } from '../client/command/lines.js';
import { problems } from '../client/command/link.js';
import { type ProcessEnd, type ServerProcess, startProcess } from '../client/command/process.js';
import { neverStarted } from '../client/command/spawn.js';
import { serverFailed } from '../client/failures.js';
import type { CommandTarget } from '../client/target.js';
import type { Side } from '../harness/record/recorder.js';
import {
  clientGone,
  comesWithin,
  longestHeard,
  type RelayEnd,
  type RelayOptions,
  whenAborted,
} from './record-relay.js';

export interface CommandRelayOptions extends RelayOptions {
  /** All of it is the server's, as it would be of one that the client starts itself. */
  readonly environment: NodeJS.ProcessEnv;
  /** An interpreter for the guard that ends the server's whole tree. */
  readonly python?: string;
}

const graceMs = 2000;
const restMs = 500;
const mostTold = 20;
const longestTold = 200;

/** Stands between a client and a process: every byte goes through as it is, and is heard on the way. */
export async function relayCommand(target: CommandTarget, options: CommandRelayOptions): Promise<RelayEnd> {
  const { stdin, stdout, stderr, signal, note } = options;
  const started = startIn(target, options);
  const streams = [started.stdin, started.stdout, started.stderr];
  let by: RelayEnd['by'] = 'server';
  let told = 0;
  for (const stream of streams) stream.on('error', () => {});
  hear(stdin, 'client');
  hear(started.stdout, 'server');
  stdin.pipe(started.stdin);
  started.stdout.pipe(stdout, { end: false });
  started.stderr.pipe(stderr, { end: false });
  const outputRead = ended(started.stdout);
  clientGone(options).then(() => endInSteps('client', graceMs));
  const stopWatching = whenAborted(signal, () => endInSteps('interruption', 0));
  const end = await started.gone;
  stopWatching();
  await comesWithin(outputRead, restMs);
  stdin.unpipe(started.stdin);
  for (const stream of streams) stream.destroy();
  return endOf(end, basename(target.command), by);

  function hear(stream: Readable, from: Side): void {
    const tooLong = `The ${from} sent a message of more than ${longestHeard} bytes, which is not recorded.`;
    const skipping = { maxBytes: Number.POSITIVE_INFINITY, onSkipped: () => note(tooLong) };
    const cutter = createLineCutter(
      longestHeard,
      (line) => takeLine(from, line),
      () => {},
      skipping,
    );
    stream.on('data', (chunk: Buffer) => cutter.push(chunk));
    stream.once('end', () => takeLine(from, cutter.end()));
  }

  function takeLine(from: Side, bytes: Buffer): void {
    const line = bytes.toString();
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      told += 1;
      const shown = JSON.stringify(line.slice(0, longestTold));
      if (told <= mostTold) note(`The ${from} wrote a line that is no message: ${shown}`);
      return;
    }
    options.hear(from, message);
  }

  async function endInSteps(whose: RelayEnd['by'], patienceMs: number): Promise<void> {
    if (by === 'server') by = whose;
    started.stdin.end();
    if (patienceMs > 0 && (await comesWithin(started.gone, patienceMs))) return;
    started.terminate();
    if (!(await comesWithin(started.gone, graceMs))) started.kill();
  }
}

function startIn(
  { command, args, cwd, env }: CommandTarget,
  { environment, python }: CommandRelayOptions,
): ServerProcess {
  if (cwd !== undefined && !existsSync(cwd)) return neverStarted('no folder');
  const given = Object.entries({ ...environment, ...env }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return startProcess({ command, args, cwd, env: Object.fromEntries(given) }, { python });
}

function endOf({ exitCode, signal, problem }: ProcessEnd, name: string, by: RelayEnd['by']): RelayEnd {
  if (problem !== undefined) {
    throw serverFailed(
      `The MCP server ${name} could not be started: ${problems[problem] ?? `the system says ${problem}`}`,
    );
  }
  const how = exitCode === null ? `by ${signal ?? 'a signal'}` : `with exit code ${exitCode}`;
  const why = { client: 'The client ended the session', interruption: 'The recording was interrupted' };
  const message = by === 'server' ? `The MCP server ${name} ended ${how}` : why[by];
  return { by, message, ...(exitCode !== null && { exitCode }) };
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('end', () => resolve());
    stream.once('close', () => resolve());
  });
}
