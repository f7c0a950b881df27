import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CallerError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { OutputName } from '../code-execution.js';
import type { Workspace } from '../workspace.js';
import { plainText } from './plain-text.js';
import { isRunId } from './run-id.js';
import { createSpill, removePart, type Spill } from './spill.js';

/** The whole of what results show only in part: `runs/<run>/stdout.txt`, for this user alone. */
export interface KeptRuns {
  /** Nothing is kept: files are neither written nor promised. */
  readonly isOff: boolean;
  pathOf(run: string, stream: OutputName): string;
  /** For text that comes bit by bit. */
  spill(run: string, stream: OutputName): Spill;
  /** Whether it was written. */
  write(run: string, stream: OutputName, text: string): Promise<boolean>;
  read(asked: { readonly run: string; readonly stream?: OutputName }): Promise<string>;
  /** Leaves the newest, and of these no more than fits into the room for all. */
  prune(): Promise<void>;
}

export interface KeptRunsOptions {
  readonly workspace: Pick<Workspace, 'runs'>;
  readonly keepRuns: number;
  readonly log: Log;
  readonly maxStreamBytes?: number;
  readonly maxAllBytes?: number;
}

const megabyte = 1024 * 1024;
const fileNames = { stdout: 'stdout.txt', stderr: 'stderr.txt', value: 'value.json' } as const;

export function createKeptRuns(options: KeptRunsOptions): KeptRuns {
  const { workspace, keepRuns, log, maxStreamBytes = 64 * megabyte, maxAllBytes = 1024 * megabyte } = options;
  const folderOf = (run: string) => join(workspace.runs, run);
  const pathOf = (run: string, stream: OutputName) => join(folderOf(run), fileNames[stream]);
  const makeFolder = async (run: string) => {
    await mkdir(folderOf(run), { recursive: true, mode: 0o700 });
  };
  const onFailure = (run: string) => (error: unknown) => log.error('output could not be kept', { run, error });
  let pruning: Promise<void> = Promise.resolve();

  return {
    isOff: keepRuns === 0,
    pathOf,
    spill: (run, stream) =>
      createSpill({
        path: pathOf(run, stream),
        maxBytes: maxStreamBytes,
        prepare: () => makeFolder(run),
        onFailure: onFailure(run),
      }),
    async write(run, stream, text) {
      try {
        await makeFolder(run);
        await writeFile(pathOf(run, stream), text, { mode: 0o600 });
        return true;
      } catch (error) {
        onFailure(run)(error);
        await removePart(pathOf(run, stream));
        return false;
      }
    },
    async read({ run, stream = 'stdout' }) {
      if (typeof run !== 'string' || !isRunId(run)) throw unknownRun(String(run));
      if (!Object.hasOwn(fileNames, stream)) throw unknownStream(stream);
      return readFile(pathOf(run, stream), 'utf8').catch(() => {
        throw nothingKept(run, stream);
      });
    },
    prune() {
      pruning = pruning
        .then(pruneNow)
        .catch((error: unknown) => log.warn('kept output could not be cleared', { error }));
      return pruning;
    },
  };

  async function pruneNow(): Promise<void> {
    const newestFirst = (await readdir(workspace.runs)).filter(isRunId).sort().reverse();
    let bytes = 0;
    for (const [index, run] of newestFirst.entries()) {
      bytes += await sizeOf(folderOf(run));
      const isFirst = index === 0;
      if (index >= keepRuns || (bytes > maxAllBytes && !isFirst)) {
        await rm(folderOf(run), { recursive: true, force: true });
      }
    }
  }
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all(
    Object.values(fileNames).map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function unknownRun(run: string): CallerError {
  const shown = JSON.stringify(plainText(run, 60));
  return new CallerError('INVALID_ARGUMENTS', `${shown} is no id of a run: a result that was cut says its own`, {
    argument: 'run',
  });
}

function unknownStream(stream: string): CallerError {
  const message = `${JSON.stringify(plainText(String(stream), 60))} is no output of a run: say stdout, stderr or value`;
  return new CallerError('INVALID_ARGUMENTS', message, { argument: 'stream' });
}

function nothingKept(run: string, stream: OutputName): CallerError {
  const message = `Nothing is kept of the ${stream} of run ${run}: it was shown whole, or has made room for newer ones`;
  return new CallerError('INVALID_ARGUMENTS', message, { argument: 'run' });
}
