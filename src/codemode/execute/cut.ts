import { StringDecoder } from 'node:string_decoder';

/** The beginning and the end of a text that is too long to be shown. */
export interface Cut {
  readonly head: string;
  readonly tail: string;
  readonly shownBytes: number;
}

/** undefined where the text fits. Three quarters are for the beginning; no character is split. */
export function cutText(text: string, maxBytes: number): Cut | undefined {
  if (text.length * 3 <= maxBytes) return undefined;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return undefined;
  const headBytes = Math.ceil(maxBytes * 0.75);
  const head = new StringDecoder('utf8').write(bytes.subarray(0, headBytes));
  const tail = bytes.subarray(characterFrom(bytes, bytes.length - (maxBytes - headBytes))).toString();
  return { head, tail, shownBytes: Buffer.byteLength(head) + Buffer.byteLength(tail) };
}

/** Both parts, with the line in between. */
export function withGap({ head, tail }: Cut, line: string): string {
  return `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}${line}\n${tail}`;
}

function characterFrom(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && (bytes.readUInt8(at) & 0xc0) === 0x80) at += 1;
  return at;
}
