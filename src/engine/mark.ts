/** Finds the mark that ends a stream's bytes, wherever chunks split it. */
export interface MarkFinder {
  /** Gives the bytes that surely come before the mark, and, once it was seen, those after it. */
  push(chunk: Buffer): { readonly before: Buffer; readonly after?: Buffer };
  /** What was held back as a possible beginning of the mark. */
  readonly held: Buffer;
}

const nothing = Buffer.alloc(0);

export function createMarkFinder(mark: Buffer): MarkFinder {
  let held = nothing;

  return {
    push(chunk) {
      const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      const at = bytes.indexOf(mark);
      if (at !== -1) {
        held = nothing;
        return { before: bytes.subarray(0, at), after: bytes.subarray(at + mark.length) };
      }
      const clear = bytes.length - possibleBeginning(bytes, mark);
      held = clear < bytes.length ? Buffer.from(bytes.subarray(clear)) : nothing;
      return { before: bytes.subarray(0, clear) };
    },
    get held() {
      return held;
    },
  };
}

/** The length of the longest end of the bytes that the mark could begin with. */
function possibleBeginning(bytes: Buffer, mark: Buffer): number {
  const first = mark.readUInt8(0);
  const from = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    const length = bytes.length - at;
    if (mark.compare(bytes, at, bytes.length, 0, length) === 0) return length;
  }
  return 0;
}
