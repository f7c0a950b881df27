import { characterStart } from './utf8.js';

const largestPreviewBytes = 8 * 1024;

/** The beginning and the end of a text, with a sentence between them that says what is missing. */
export function previewOf(data: Buffer, maxBytes: number, whereTheRestIs: string): string {
  const shownBytes = Math.min(maxBytes, largestPreviewBytes);
  const headEnd = characterStart(data, Math.floor((shownBytes * 3) / 4));
  const tailStart = characterStart(data, data.length - Math.floor(shownBytes / 4));
  const missing = `[${tailStart - headEnd} of ${data.length} bytes are left out here. ${whereTheRestIs}]`;
  return `${data.toString('utf8', 0, headEnd)}\n${missing}\n${data.toString('utf8', tailStart)}`;
}

/** A text that may be cut in the middle, because the whole is nowhere to be had. */
export function bounded(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const data = Buffer.from(text);
  return data.length <= maxBytes
    ? text
    : previewOf(data, maxBytes, 'The limit for output beside a result was reached.');
}
