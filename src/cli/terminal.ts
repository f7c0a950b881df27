import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import type { CodeExecution } from '../codemode/code-execution.js';
import type { SettingsInput } from '../config.js';
import type { Engine } from '../engine/work.js';
import type { OpenCodeOptions } from '../services/code-execution.js';
import { outlastReader } from './interruption.js';
import type { CreateHarness } from './test-session.js';

/** What a verb may touch of the world: two streams, the environment, Ctrl-C, and an engine when it needs one. */
export interface Terminal {
  /** Data, on stdout. */
  out(text: string): void;
  /** Everything else, on stderr. */
  note(text: string): void;
  /** Whether a person watches stderr: then, and only then, progress is drawn there. */
  readonly watched: boolean;
  /** Whether a person watches stdout: then text of others is shown without what would command the terminal. */
  readonly outWatched?: boolean;
  readonly colours: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly interrupt: AbortSignal;
  /** A reader of stdout who leaves ends the process, unless this was called: for work that has other results too. */
  outlastReader?(): void;
  createEngine(settings: SettingsInput): Promise<Engine>;
  /** In the place of the real one. */
  readonly openCode?: OpenCode;
  /** In the place of the real one. */
  readonly createHarness?: CreateHarness;
  /** What comes in on stdin; that of the process where not given. */
  input?(): Readable;
  /** Asks the person who watches, and takes silence for a no. Not there where nobody can be asked. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<boolean>;
}

export type OpenCode = (options: OpenCodeOptions) => Promise<CodeExecution>;

export function createTerminal(interrupt: AbortSignal): Terminal {
  const { stdout, stderr, env: environment } = process;
  const watched = stderr.isTTY === true;
  const canAsk = watched && isatty(0);
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    watched,
    outWatched: stdout.isTTY === true,
    colours: watched && !environment.NO_COLOR && environment.TERM !== 'dumb',
    environment,
    interrupt,
    outlastReader,
    createEngine: async (settings) => (await import('../engine/engine.js')).createEngine(settings),
    ...(canAsk && { ask }),
  };
}

async function ask(question: string, signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import('./install/ask.js');
  return await confirm(question, { signal, unlessSaid: false });
}

type Style = Parameters<typeof styleText>[0];

export function paint({ colours }: Terminal, style: Style, text: string): string {
  return colours ? styleText(style, text, { validateStream: false }) : text;
}
