import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export interface FileWatch {
  /** Looks now; resolves when what was found has been told. */
  look(): Promise<void>;
  close(): void;
}

export interface FileWatchOptions {
  /** How often the files are read. They are small, and reading works on every disk, through links and for mounts. */
  readonly intervalMs?: number;
}

const usualIntervalMs = 1000;

/** Tells when the content of one of the files is another than before; one that is not there may come. */
export async function watchContents(
  files: readonly string[],
  onChange: () => Promise<void> | void,
  { intervalMs = usualIntervalMs }: FileWatchOptions = {},
): Promise<FileWatch> {
  let known = await printOf(files);
  let looking: Promise<void> | undefined;
  let isDirty = false;
  let isClosed = false;
  const timer = setInterval(() => void look().catch(() => undefined), intervalMs).unref();
  return {
    look,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };

  /** One look at a time: of two at once the earlier could have the last word. */
  function look(): Promise<void> {
    isDirty = true;
    looking ??= compare().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function compare(): Promise<void> {
    while (isDirty && !isClosed) {
      isDirty = false;
      const now = await printOf(files);
      if (now === known || isClosed) continue;
      known = now;
      await onChange();
    }
  }
}

async function printOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = await readFile(file).catch(() => undefined);
    hash.update(content === undefined ? 'absent' : `${content.length}:`).update(content ?? '');
  }
  return hash.digest('hex');
}
