import { type FileHandle, open, rm } from 'node:fs/promises';

/** A file that grows while a run goes on, up to a bound. */
export interface Spill {
  readonly path: string;
  /** A promise where so much waits to be written that the script should wait as well. */
  write(text: string): Promise<void> | undefined;
  /** Whether all of it, up to the bound, is on the disk. */
  end(): Promise<boolean>;
}

export interface SpillOptions {
  readonly path: string;
  readonly maxBytes: number;
  /** Makes the folder, the first time that there is something to write. */
  prepare(): Promise<void>;
  onFailure(error: unknown): void;
}

const mostWaitingBytes = 256 * 1024;

export function createSpill({ path, maxBytes, prepare, onFailure }: SpillOptions): Spill {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let takenBytes = 0;
  let handle: FileHandle | undefined;
  let writing: Promise<void> | undefined;
  let hasFailed = false;

  return {
    path,
    write(text) {
      const bytes = Buffer.byteLength(text);
      if (hasFailed || takenBytes + bytes > maxBytes) return undefined;
      takenBytes += bytes;
      waitingBytes += bytes;
      waiting.push(text);
      writing ??= writeAll();
      return waitingBytes > mostWaitingBytes ? writing : undefined;
    },
    async end() {
      await writing;
      await handle?.close().catch(fail);
      if (hasFailed) await removePart(path);
      return !hasFailed;
    },
  };

  async function writeAll(): Promise<void> {
    try {
      const file = await opened();
      while (waiting.length > 0) {
        const text = waiting.join('');
        waiting = [];
        await file.appendFile(text);
        waitingBytes -= Buffer.byteLength(text);
      }
    } catch (error) {
      fail(error);
    } finally {
      writing = undefined;
    }
  }

  async function opened(): Promise<FileHandle> {
    if (handle) return handle;
    await prepare();
    const file = await open(path, 'w', 0o600);
    handle = file;
    return file;
  }

  function fail(error: unknown): void {
    if (!hasFailed) onFailure(error);
    hasFailed = true;
    waiting = [];
  }
}

/** A part must not pass for the whole, nor take the last of a disk. */
export async function removePart(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
