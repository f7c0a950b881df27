import { isUtf8 } from 'node:buffer';

export type Line =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too long' }
  | { readonly kind: 'not UTF-8' };

export interface LineReader {
  push(chunk: Buffer): void;
  /** Hands over what stands after the last newline. */
  end(): void;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = '\u{feff}';

/** Cuts a stream of bytes into lines. A line beyond the limit is passed over to its end, without being kept. */
export function createLineReader(maxLineBytes: number, onLine: (line: Line) => void): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let skipping = false;
  let isFirst = true;

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        keep(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      keep(chunk.subarray(start));
    },
    end: finish,
  };

  function keep(part: Buffer): void {
    if (skipping || part.length === 0) return;
    bytes += part.length;
    if (bytes > maxLineBytes) {
      skipping = true;
      parts = [];
    } else parts.push(part);
  }

  function finish(): void {
    const line = skipping ? undefined : joined(parts);
    parts = [];
    bytes = 0;
    skipping = false;
    if (line === undefined) onLine({ kind: 'too long' });
    else if (line.length > 0) onLine(isUtf8(line) ? { kind: 'text', text: textOf(line) } : { kind: 'not UTF-8' });
  }

  function textOf(line: Buffer): string {
    const end = line.at(-1) === carriageReturn ? line.length - 1 : line.length;
    const text = line.toString('utf8', 0, end);
    const isMarked = isFirst && text.startsWith(byteOrderMark);
    isFirst = false;
    return isMarked ? text.slice(1) : text;
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only ? only : Buffer.concat(parts);
}
