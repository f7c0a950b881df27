import type { Limits } from '../../config.js';
import { HostError, LimitError } from '../../errors.js';
import { decodePayload } from '../frames.js';
import type { Death, Worker } from './worker.js';

/** What a process is made ready for: one script, or none, and then for any whole script. */
export type Specification = {
  readonly script: string | null;
  readonly limits: Limits;
  readonly importTimeoutMs: number;
};

/** What is known once the script was imported. */
export interface Readiness {
  /** Why forked children would be unsafe for this script. */
  readonly reason?: string;
  /** Files whose content went into the import. */
  readonly files: readonly string[];
}

/** Where workers come from. All OS-specific code is behind this. */
export interface Launcher {
  readonly kind: 'fork' | 'warm';
  readonly ready: Promise<Readiness>;
  /** Resolves when the new worker waits for its request. */
  launch(): Promise<Worker>;
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
  onFailure: (payload: Buffer, output: ImportOutput) => Error,
  output = createImportOutput(),
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    let isReady = false;
    worker.listen({
      onFrame(type, payload) {
        isReady ||= type === 'R';
        if (isReady) resolve(decodePayload(payload));
        else failure = onFailure(payload, output.text);
      },
      onOutput: output.push,
    });
    void worker.gone.then((death) => {
      if (!isReady) reject(failure ?? spawnFailed(`it ended with ${endingOf(death)}`));
    });
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

export function endingOf(death: Death): string {
  return death.signal ?? `exit code ${death.exitCode}`;
}

export function spawnFailed(reason: string): HostError {
  return new HostError('SPAWN_FAILED', `A Python process could not be started: ${reason}`);
}

export function importTimeout(limitMs: number, output: ImportOutput): LimitError {
  const message = `Importing the script took longer than ${limitMs} ms`;
  return new LimitError('IMPORT_TIMEOUT', message, { ...output, limit: limitMs });
}

const maxImportOutput = 64 * 1024;
