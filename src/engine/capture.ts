import { characterEnd, characterStart } from './utf8.js';

const firstRoomBytes = 1024;

/** Keeps the first three quarters and the last quarter of what it may keep, in one buffer that grows only as needed. */
export interface Capture {
  add(bytes: Buffer, from: number, to: number): void;
  readonly text: string;
  readonly cutBytes: number;
}

export function createCapture(maxBytes: number): Capture {
  const headBytes = Math.ceil(maxBytes * 0.75);
  const tailBytes = maxBytes - headBytes;
  let kept = Buffer.alloc(0);
  let total = 0;

  return {
    add(bytes, from, to) {
      let at = from;
      while (at < to) at += total < maxBytes ? append(bytes, at, to) : turnOver(bytes, at, to);
    },
    get text() {
      if (total <= maxBytes) return kept.toString('utf8', 0, total);
      const { head, tail } = parts();
      const gap = `[… ${total - head.length - tail.length} bytes cut …]\n`;
      return `${withLineEnd(head.toString())}${gap}${tail.toString()}`;
    },
    get cutBytes() {
      if (total <= maxBytes) return 0;
      const { head, tail } = parts();
      return total - head.length - tail.length;
    },
  };

  function append(bytes: Buffer, from: number, to: number): number {
    const taken = Math.min(to - from, maxBytes - total);
    if (kept.length < total + taken) kept = grown(kept, total, total + taken, maxBytes);
    bytes.copy(kept, total, from, from + taken);
    total += taken;
    return taken;
  }

  /** Once full, what follows the head is a ring that always holds the latest bytes. */
  function turnOver(bytes: Buffer, from: number, to: number): number {
    const passed = Math.max(0, to - from - tailBytes);
    total += passed;
    if (tailBytes === 0) return passed;
    const at = ringStart();
    const taken = Math.min(to - from - passed, maxBytes - at);
    bytes.copy(kept, at, from + passed, from + passed + taken);
    total += taken;
    return passed + taken;
  }

  function ringStart(): number {
    return headBytes + ((total - headBytes) % tailBytes);
  }

  function parts(): { head: Buffer; tail: Buffer } {
    const head = kept.subarray(0, characterEnd(kept, headBytes));
    if (tailBytes === 0) return { head, tail: Buffer.alloc(0) };
    const start = ringStart();
    const tail = Buffer.concat([kept.subarray(start, maxBytes), kept.subarray(headBytes, start)]);
    return { head, tail: tail.subarray(characterStart(tail, 0)) };
  }
}

export function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function grown(kept: Buffer, used: number, needed: number, maxBytes: number): Buffer<ArrayBuffer> {
  const room = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, kept.length * 2, firstRoomBytes)));
  kept.copy(room, 0, 0, used);
  return room;
}
