/** The nearest place at or before `index` where a character begins. */
export function characterStart(data: Buffer, index: number): number {
  let start = Math.min(Math.max(index, 0), data.length);
  while (start > 0 && start < data.length && isContinuation(data[start])) start--;
  return start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
