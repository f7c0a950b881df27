import { isUtf8 } from 'node:buffer';

const replacement = '\uFFFD';
const replacementBytes = Buffer.from(replacement);

/** The last place up to `end` where the bytes can be parted without splitting a character. */
export function characterEnd(bytes: Buffer, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back += 1) {
    const byte = bytes.readUInt8(end - back);
    if (!isContinuation(byte)) return sequenceLength(byte) > back ? end - back : end;
  }
  return end;
}

/** The first place from `start` on that is not inside a character. */
export function characterStart(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && at < start + 3 && isContinuation(bytes.readUInt8(at))) at += 1;
  return at;
}

/** How many of the bytes that were decoded to this text were not UTF-8. */
export function countReplaced(text: string, bytes: Buffer, from: number, to: number): number {
  if (!text.includes(replacement)) return 0;
  const part = bytes.subarray(from, to);
  if (isUtf8(part)) return 0;
  const madeUp = text.split(replacement).length - 1 - countGenuine(part);
  return part.length - (Buffer.byteLength(text) - madeUp * replacementBytes.length);
}

function countGenuine(part: Buffer): number {
  let found = 0;
  for (let at = part.indexOf(replacementBytes); at !== -1; at = part.indexOf(replacementBytes, at + 3)) found += 1;
  return found;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
