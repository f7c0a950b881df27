import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.js';
import type { OpenCode, Terminal } from '../../src/cli/terminal.js';
import type { SettingsInput } from '../../src/config.js';
import { parseSettings } from '../../src/config.js';
import type { Engine, FunctionCall, RunOptions, RunResult } from '../../src/engine/work.js';

export interface Said {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly settings: SettingsInput | undefined;
  readonly closed: boolean;
}

export interface Scene {
  readonly engine?: Partial<Engine>;
  readonly environment?: NodeJS.ProcessEnv;
  readonly watched?: boolean;
  readonly colours?: boolean;
  readonly interrupt?: AbortSignal;
  readonly openCode?: OpenCode;
  readonly createHarness?: Terminal['createHarness'];
  readonly ask?: Terminal['ask'];
  readonly input?: Readable;
  readonly outWatched?: boolean;
  /** Told of what is written to either stream, as it is. */
  readonly onText?: (text: string) => void;
}

/** Runs a command line against a terminal and an engine that exist only in memory. */
export async function say(words: readonly string[], scene: Scene = {}): Promise<Said> {
  let [stdout, stderr, closed] = ['', '', false];
  let settings: SettingsInput | undefined;
  const terminal: Terminal = {
    out: (text) => {
      stdout += text;
      scene.onText?.(text);
    },
    note: (text) => {
      stderr += text;
      scene.onText?.(text);
    },
    watched: scene.watched ?? false,
    outWatched: scene.outWatched ?? false,
    colours: scene.colours ?? false,
    environment: scene.environment ?? {},
    interrupt: scene.interrupt ?? new AbortController().signal,
    openCode: scene.openCode,
    createHarness: scene.createHarness,
    ask: scene.ask,
    input: () => scene.input ?? Readable.from([]),
    createEngine: async (given) => {
      settings = given;
      return {
        ...quietEngine,
        ...scene.engine,
        close: async () => {
          closed = true;
        },
      };
    },
  };
  const exitCode = await main(words, terminal);
  return { exitCode, stdout, stderr, settings, closed };
}

/** An engine whose function returns what it was called with. */
export const quietEngine: Engine = {
  limits: parseSettings(),
  call: async ({ args = {} }: FunctionCall, _options?: RunOptions) => resultOf(args),
  run: async () => resultOf(true),
  warm: async () => undefined,
  probe: async () => undefined,
  endSession: async () => undefined,
  recycle: async () => undefined,
  end: async () => undefined,
  status: () => ({ running: 0, waiting: 0, starts: 0, crashes: 0, scripts: [] }),
  close: async () => undefined,
};

export function resultOf(value: RunResult['value']): RunResult {
  return {
    value,
    stdout: '',
    stderr: '',
    logs: [],
    files: [],
    exitCode: 0,
    figures: {
      queueMs: 0,
      wallMs: 1,
      cpuMs: 1,
      peakMemoryBytes: 1,
      addedMemoryBytes: 1,
      isolation: 'call',
      launcher: 'fork',
      python: '3.12.0',
      profile: 'trusted',
      enforced: {
        files: 'none',
        network: 'none',
        processes: 'none',
        memory: 'enforced',
        cpu: 'enforced',
        disk: 'none',
      },
    },
  };
}
