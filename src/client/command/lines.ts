export interface LineCutter {
  push(chunk: Buffer): void;
  /** What stands after the last newline. */
  end(): Buffer;
}

const newline = 0x0a;

/** Cuts a stream of bytes into lines. A line beyond the limit is told of as soon as it is, and nothing is kept from then on. */
export function createLineCutter(
  maxLineBytes: number,
  onLine: (line: Buffer) => void,
  onTooLong: () => void,
): LineCutter {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isOver = false;

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1 && !isOver; end = chunk.indexOf(newline, start)) {
        keep(chunk.subarray(start, end));
        start = end + 1;
        if (!isOver) onLine(taken());
      }
      if (!isOver) keep(chunk.subarray(start));
    },
    end: taken,
  };

  function keep(part: Buffer): void {
    bytes += part.length;
    if (part.length > 0) parts.push(part);
    if (bytes <= maxLineBytes) return;
    isOver = true;
    parts = [];
    onTooLong();
  }

  function taken(): Buffer {
    const [only] = parts;
    const line = parts.length === 1 && only ? only : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    return line;
  }
}
