import { styleText } from 'node:util';
import type { SettingsInput } from '../config.js';
import type { Engine } from '../engine/work.js';

/** What a verb may touch of the world: two streams, the environment, Ctrl-C, and an engine when it needs one. */
export interface Terminal {
  /** Data, on stdout. */
  out(text: string): void;
  /** Everything else, on stderr. */
  note(text: string): void;
  /** Whether a person watches stderr: then, and only then, progress is drawn there. */
  readonly watched: boolean;
  readonly colours: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly interrupt: AbortSignal;
  createEngine(settings: SettingsInput): Promise<Engine>;
}

export function createTerminal(interrupt: AbortSignal): Terminal {
  const { stdout, stderr, env: environment } = process;
  const watched = stderr.isTTY === true;
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    watched,
    colours: watched && !environment.NO_COLOR && environment.TERM !== 'dumb',
    environment,
    interrupt,
    createEngine: async (settings) => (await import('../engine/engine.js')).createEngine(settings),
  };
}

type Style = Parameters<typeof styleText>[0];

export function paint({ colours }: Terminal, style: Style, text: string): string {
  return colours ? styleText(style, text, { validateStream: false }) : text;
}
