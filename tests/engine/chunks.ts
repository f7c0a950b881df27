import fc from 'fast-check';

/** The same bytes, cut at any places. */
export function chunked(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const ends = [...places, bytes.length];
  return ends.map((end, index) => Buffer.from(bytes.subarray(ends[index - 1] ?? 0, end)));
}

export const anyCuts = fc.array(fc.nat(100_000), { maxLength: 12 });

/** Text with line ends, redraws, bars, letters of every length in UTF-8, NULs, and bytes that are not UTF-8. */
export const anyBytes = fc
  .array(
    fc.oneof(
      fc
        .constantFrom('\n', '\r', '\r\n', '\r 10%|█ | 1/10', '\r   ', '\u0000', 'é', '漢', '🐍', '\uFFFD')
        .map((text) => Buffer.from(text)),
      fc.string({ maxLength: 6 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts));
