import { characterEnd } from './utf8.js';

export const maxLineBytes = 64 * 1024;

const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = Buffer.alloc(0);

type Part = (bytes: Buffer, from: number, to: number) => void;

export interface LinesOptions {
  /** A whole line without its end, or a piece of one that is longer than maxLineBytes. */
  readonly onLine: Part;
  /** A state of a line that is drawn again and again with `\r`; the same state may be told twice. */
  readonly onRedraw: Part;
  /** What a terminal would still show: `\r\n` is `\n`, and of a redrawn line only the last state is left. */
  readonly onKept: Part;
}

export interface Lines {
  push(bytes: Buffer): void;
  end(): void;
}

export function createLines({ onLine, onRedraw, onKept }: LinesOptions): Lines {
  let line = nothing;
  let length = 0;
  let returned = false;
  let redrawn = false;

  return {
    push(bytes) {
      let start = 0;
      let unkept = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at];
        if (byte !== newline && byte !== carriageReturn) continue;
        const isPlain = length === 0 && !returned && !redrawn && at - start <= maxLineBytes;
        if (isPlain && byte === newline) {
          onLine(bytes, start, at);
        } else if (isPlain && bytes[at + 1] === newline) {
          onLine(bytes, start, at);
          onKept(bytes, unkept, at);
          at += 1;
          unkept = at;
        } else {
          if (unkept < start) onKept(bytes, unkept, start);
          add(bytes, start, at);
          if (byte === newline) endLine();
          else returned = true;
          unkept = byte === newline ? at : at + 1;
        }
        start = at + 1;
      }
      if (unkept < start) onKept(bytes, unkept, start);
      add(bytes, start, bytes.length);
      if (redrawn) tellRedraw();
    },
    end() {
      if (redrawn) tellRedraw();
      const shown = shownLength();
      if (shown > 0) emit(shown);
      startLine();
    },
  };

  function add(bytes: Buffer, from: number, to: number): void {
    if (from === to) return;
    if (returned) redraw();
    let at = from;
    while (length + to - at > maxLineBytes) {
      const taken = maxLineBytes - length;
      append(bytes, at, at + taken);
      at += taken;
      emitPiece();
    }
    append(bytes, at, to);
  }

  function append(bytes: Buffer, from: number, to: number): void {
    const needed = length + to - from;
    if (line.length < needed) line = grown(line, length, needed);
    bytes.copy(line, length, from, to);
    length = needed;
  }

  function redraw(): void {
    tellRedraw();
    redrawn = length === 0 || !isBlank(line, length);
    returned = false;
    length = 0;
  }

  function tellRedraw(): void {
    if (!isBlank(line, length)) onRedraw(line, 0, length);
  }

  function endLine(): void {
    if (redrawn) tellRedraw();
    emit(shownLength());
    startLine();
  }

  function emitPiece(): void {
    const end = characterEnd(line, length);
    emit(end);
    line.copyWithin(0, end, length);
    length -= end;
  }

  function emit(end: number): void {
    onLine(line, 0, end);
    if (end > 0) onKept(line, 0, end);
  }

  function shownLength(): number {
    return redrawn && isBlank(line, length) ? 0 : length;
  }

  function startLine(): void {
    length = 0;
    returned = false;
    redrawn = false;
  }
}

function isBlank(bytes: Buffer, length: number): boolean {
  for (let at = 0; at < length; at += 1) if (bytes[at] !== 0x20 && bytes[at] !== 0x09) return false;
  return true;
}

function grown(line: Buffer, used: number, needed: number): Buffer<ArrayBuffer> {
  const room = Buffer.allocUnsafe(Math.min(maxLineBytes, Math.max(needed, line.length * 2, 256)));
  line.copy(room, 0, 0, used);
  return room;
}
