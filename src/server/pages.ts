import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { longestAnswerBytes } from './messages.js';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

const pageBytes = longestAnswerBytes / 2;
/** So few fit into one message, and are not measured: this is on the way to the first answer. */
const surelyFitting = 200;
const cursorForm = /^after-([1-9]\d*)$/;

/** The part of a list that begins at the cursor and fits into one message; nearly always all of it. */
export function pageOf<T>(all: readonly T[], cursor: string | undefined): Page<T> {
  const start = cursor === undefined ? 0 : Number(cursorForm.exec(cursor)?.[1]);
  if (!(start < Math.max(all.length, 1)) || (start > 0 && all.length <= surelyFitting)) throw unknownCursor();
  if (all.length <= surelyFitting) return { items: all };
  let bytes = 0;
  let end = start;
  for (const item of all.slice(start)) {
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (bytes > pageBytes && end > start) break;
    end++;
  }
  return { items: all.slice(start, end), ...(end < all.length && { nextCursor: `after-${end}` }) };
}

/** For lists that are one page whatever they hold. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw unknownCursor();
}

function unknownCursor(): ProtocolError {
  const message =
    'There is no such cursor. Ask for the list without one, and then with the nextCursor of the answer, where it has one.';
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
