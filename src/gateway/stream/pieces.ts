import { textOfFrame } from '../http/event-stream.js';
import type { EventFrame, EventStream } from '../parts.js';

/** A longer write would count as unread by a client that has had no time to read it. */
const pieceLength = 64 * 1024;

/** Sends a frame of any size, each piece when there is room for it. */
export function sendInPieces(stream: EventStream, frame: EventFrame): Promise<void> | undefined {
  const text = textOfFrame(frame);
  return text.length <= pieceLength ? stream.write(text) : writeAll(stream, text);
}

async function writeAll(stream: EventStream, text: string): Promise<void> {
  for (const piece of piecesOf(text, pieceLength)) {
    if (stream.closed.aborted) return;
    await stream.write(piece);
  }
}

/** Characters of two halves stay whole, because each piece is encoded by itself. */
export function* piecesOf(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + length;
    const stop = end < text.length && isFirstHalf(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield text.slice(start, stop);
    start = stop;
  }
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
