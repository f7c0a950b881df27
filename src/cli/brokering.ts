import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { CodeExecution } from '../codemode/code-execution.js';
import { codeSettingFamily } from '../codemode/settings.js';
import { createAsks } from '../engine/asks.js';
import { createFrameReader } from '../engine/frames.js';
import { readMessage } from '../engine/messages.js';
import { openCodeExecution } from '../services/code-execution.js';
import { claimStdout } from './claim-stdout.js';
import { createLogFor } from './log-file.js';
import { readSettings } from './settings.js';
import type { Terminal } from './terminal.js';

export interface BrokerStreams {
  readonly input: Readable;
  readonly output: Writable;
}

const maxBytes = 64 * 1024 * 1024;
const brokenExitCode = 1;

/** Answers until its input ends. What is wrong with config or workspace is the answer to every question. */
export async function runBroker(
  command: Command,
  terminal: Terminal,
  streams: BrokerStreams = { input: process.stdin, output: claimStdout() },
): Promise<number> {
  const { environment } = terminal;
  const opening = open();
  opening.catch(() => {});
  try {
    return await answerAll(opening, streams, terminal.interrupt);
  } finally {
    await (await opening.catch(() => undefined))?.close();
  }

  async function open(): Promise<CodeExecution> {
    const engine = readSettings(command, environment);
    const code = codeSettingFamily.parse(codeSettingFamily.fromEnvironment(environment));
    return openCodeExecution({ code, engine, environment, log: createLogFor(engine) });
  }
}

async function answerAll(
  opening: Promise<CodeExecution>,
  { input, output }: BrokerStreams,
  interrupt: AbortSignal,
): Promise<number> {
  const attending = opening.then((code) => code.attend());
  attending.catch(() => {});
  const asks = createAsks({
    onAsk: async (ask) => (await attending).onAsk(ask),
    maxAnswerBytes: maxBytes,
    maxAskedBytes: maxBytes,
    send: (frame, onSent) => void output.write(frame, onSent),
    onFlood: () => void input.destroy(new Error('The script reads none of its answers')),
  });
  const exitCode = await new Promise<number>((resolve) => {
    const isBroken = () => resolve(brokenExitCode);
    const reader = createFrameReader({
      maxBytes,
      onError: isBroken,
      onFrame(type, payload) {
        const message = readMessage(type, payload);
        if (message?.type === 'ask') asks.take(message, payload.length);
        else if (message?.type === 'give up') asks.giveUp(message.id);
        else isBroken();
      },
    });
    input
      .on('data', reader.push)
      .once('end', () => resolve(0))
      .once('error', isBroken);
    output.once('error', isBroken);
    interrupt.addEventListener('abort', () => resolve(0), { once: true });
  });
  asks.end();
  await (await attending.catch(() => undefined))?.end();
  input.destroy();
  return exitCode;
}
