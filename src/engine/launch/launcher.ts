import type { Limits } from '../../config.js';
import { HostError, LimitError, ScriptError } from '../../errors.js';
import { failureOf } from '../failure.js';
import { readFields } from '../messages.js';
import { type Confinement, readConfinement, type Sandbox, sandboxUnavailable } from '../sandbox.js';
import type { Death, Worker } from './worker.js';

/** What a process is made ready for: one script, or none, and then for any whole script. */
export type Specification = {
  readonly script: string | null;
  readonly limits: Limits;
  readonly importTimeoutMs: number;
  /** null: the process has every right of its user. */
  readonly sandbox: Sandbox | null;
};

/** What is known once the script was imported. */
export interface Readiness {
  /** Why forked children would be unsafe for this script. */
  readonly reason?: string;
  /** Files whose content went into the import. */
  readonly files: readonly string[];
  /** The memory of the process that imported it. */
  readonly bytes: number;
  /** What the sandbox holds, where there is one. */
  readonly confinement?: Confinement;
}

/** Where workers come from. All OS-specific code is behind this. */
export interface Launcher {
  readonly kind: 'fork' | 'warm';
  readonly ready: Promise<Readiness>;
  /** How many workers may be on their way at once. */
  readonly maxStarting: number;
  /** Resolves when the new worker waits for its request. One that is hurried is not prepared beyond what is needed. */
  launch(isHurried?: boolean): Promise<Worker>;
  /** Called once, when no further worker will come from here. */
  onEnd(listener: (error: Error) => void): void;
  /** How much the memory of the forking process has grown since the import. */
  readonly growthBytes: number;
  /** Ends every process of this launcher; resolves when none is left. */
  close(): Promise<void>;
}

/** Resolves at the worker's first frame, which says that it is ready, with what that frame holds. */
export function untilReady(
  worker: Worker,
  endedEarly: (death: Death) => Error,
  output = createImportOutput(),
  sandbox: Sandbox | null = null,
): Promise<Readiness> {
  return new Promise((resolve, reject) => {
    const entry = createEntry(sandbox);
    let failure: Buffer | undefined;
    worker.listen({
      onFrame(type, payload) {
        if (entry.take(type, payload)) return;
        if (type === 'R') resolve({ ...readReadiness(payload), ...entry.said });
        else failure ??= Buffer.from(payload);
      },
      onOutput: output.push,
      onGone: (death) => reject(entry.refusal() ?? (failure ? failureOf(failure, output.text) : endedEarly(death))),
    });
  });
}

/** The first frame of a process that goes into a sandbox says what that holds; later ones might be the script's. */
export function createEntry(sandbox: Sandbox | null) {
  let confinement: Confinement | undefined;
  return {
    take(type: string, payload: Buffer): boolean {
      if (sandbox === null || confinement || type !== 'S') return false;
      confinement = readConfinement(payload);
      return true;
    },
    get said(): { confinement?: Confinement } {
      return confinement ? { confinement } : {};
    },
    /** Why the process ended instead of going on. */
    refusal(): HostError | undefined {
      const missing = confinement?.missing ?? [];
      return sandbox?.required && missing.length > 0 ? sandboxUnavailable(missing) : undefined;
    },
  };
}

/** The script's code has run by then, so nothing about the message is taken on trust. */
export function readReadiness(payload: Buffer): Readiness {
  const { reason, files, bytes } = readFields(payload) ?? {};
  return {
    files: Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [],
    bytes: typeof bytes === 'number' ? bytes : 0,
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}

/** An import that ends its process is the script's doing. */
export function importEnded(death: Death, output: ImportOutput): ScriptError {
  const { exitCode, signal } = death;
  return new ScriptError('PROCESS_FAILED', `Importing the script ended its process with ${endingOf(death)}`, {
    ...output,
    ...(exitCode === null ? {} : { exitCode }),
    ...(signal === null ? {} : { signal }),
  });
}

export type ImportOutput = { stdout: string; stderr: string };

/** The beginning of what a script writes while it is imported, for the error that may follow. */
export function createImportOutput() {
  const text: ImportOutput = { stdout: '', stderr: '' };
  return {
    text,
    push(stream: keyof ImportOutput, chunk: Buffer): void {
      if (text[stream].length < maxImportOutput) text[stream] += chunk.toString('utf8');
    },
  };
}

function endingOf(death: Death): string {
  return death.signal ?? `exit code ${death.exitCode}`;
}

/** The complaint is what Python wrote before it ended, for the log. */
export function diedAtBirth(death: Death, complaint?: string): HostError {
  return spawnFailed(`it ended with ${endingOf(death)}`, complaint);
}

export function spawnFailed(reason: string, complaint?: string): HostError {
  return new HostError('SPAWN_FAILED', `A Python process could not be started: ${reason}`, {}, { cause: complaint });
}

export function importTimeout(limitMs: number, output: ImportOutput): LimitError {
  const message = `Importing the script took longer than ${limitMs} ms`;
  return new LimitError('IMPORT_TIMEOUT', message, { ...output, limit: limitMs });
}

export function birthTimeout(limitMs: number): LimitError {
  const message = `A process forked for the script was not ready within ${limitMs} ms`;
  return new LimitError('IMPORT_TIMEOUT', message, { limit: limitMs });
}

const maxImportOutput = 64 * 1024;
