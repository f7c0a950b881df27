import { rm } from 'node:fs/promises';
import type { Spill } from './spill.js';

/** A copy of a stream, line by line: in memory while it is short, in a file from then on. */
export interface StreamCopy {
  /** A promise where the script should wait. */
  add(line: string): Promise<void> | undefined;
  readonly bytes: number;
  /** All of it, while it is in memory. */
  readonly held: string | undefined;
  /** Whether the file is complete. */
  end(): Promise<boolean>;
  /** It is not needed after all. */
  drop(): Promise<void>;
}

const mostHeldBytes = 1024 * 1024;

/** Without a file, only the beginning is held. */
export function createStreamCopy(openFile: (() => Spill) | undefined): StreamCopy {
  let lines: string[] | undefined = [];
  let file: Spill | undefined;
  let bytes = 0;

  return {
    add(line) {
      const text = `${line}\n`;
      bytes += Buffer.byteLength(text);
      lines?.push(text);
      if (lines === undefined) return file?.write(text);
      if (bytes <= mostHeldBytes) return undefined;
      const held = lines.join('');
      lines = undefined;
      file = openFile?.();
      return file?.write(held);
    },
    get bytes() {
      return bytes;
    },
    get held() {
      return lines?.join('');
    },
    end: async () => (file ? file.end() : false),
    async drop() {
      lines = undefined;
      if (file === undefined) return;
      await file.end();
      await rm(file.path, { force: true });
    },
  };
}
