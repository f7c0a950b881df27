export interface LineCutter {
  push(chunk: Buffer): void;
  /** What stands after the last newline. */
  end(): Buffer;
}

/** What becomes of lines beyond the limit, where they are passed over. */
export interface Skipping {
  /** A line may go on that long; what is longer has no end. */
  readonly maxBytes: number;
  readonly onSkipped: (line: SkippedLine) => void;
}

/** The beginning and the end of a line that was too long to keep. */
export interface SkippedLine {
  readonly head: Buffer;
  readonly tail: Buffer;
}

const newline = 0x0a;
const shownOfSkipped = 1024;

/**
 * Cuts a stream of bytes into lines. A line beyond the limit is told of as soon as it is, and nothing is kept from then on;
 * unless such lines are to be skipped.
 */
export function createLineCutter(
  maxLineBytes: number,
  onLine: (line: Buffer) => void,
  onTooLong: () => void,
  skipping?: Skipping,
): LineCutter {
  let parts: Buffer[] = [];
  let bytes = 0;
  let skipped: SkippedLine | undefined;
  let isOver = false;

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1 && !isOver; end = chunk.indexOf(newline, start)) {
        keep(chunk.subarray(start, end));
        start = end + 1;
        if (!isOver) finish();
      }
      if (!isOver) keep(chunk.subarray(start));
    },
    end: taken,
  };

  function keep(part: Buffer): void {
    bytes += part.length;
    if (bytes > (skipping?.maxBytes ?? maxLineBytes)) {
      isOver = true;
      parts = [];
      onTooLong();
    } else if (bytes > maxLineBytes) skip(part);
    else if (part.length > 0) parts.push(part);
  }

  function skip(part: Buffer): void {
    const head = skipped?.head ?? beginningOf([...parts, part]);
    const tail = Buffer.concat([skipped?.tail ?? Buffer.alloc(0), part.subarray(-shownOfSkipped)]);
    skipped = { head, tail: Buffer.from(tail.subarray(-shownOfSkipped)) };
    parts = [];
  }

  function finish(): void {
    const line = skipped;
    const rest = taken();
    if (line) skipping?.onSkipped(line);
    else onLine(rest);
  }

  function taken(): Buffer {
    const [only] = parts;
    const line = skipped?.tail ?? (parts.length === 1 && only ? only : Buffer.concat(parts));
    parts = [];
    bytes = 0;
    skipped = undefined;
    return line;
  }
}

function beginningOf(parts: readonly Buffer[]): Buffer {
  let beginning = Buffer.alloc(0);
  for (const part of parts) {
    if (beginning.length >= shownOfSkipped) break;
    beginning = Buffer.concat([beginning, part.subarray(0, shownOfSkipped)]);
  }
  return beginning.subarray(0, shownOfSkipped);
}
