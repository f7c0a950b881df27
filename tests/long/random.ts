/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the entries, each as likely as its weight says. */
export function pickWeighted<T extends { readonly weight: number }>(entries: readonly T[], random: number): T {
  const total = entries.reduce((sum, { weight }) => sum + weight, 0);
  let left = random * total;
  for (const entry of entries) {
    left -= entry.weight;
    if (left < 0) return entry;
  }
  throw new Error('nothing to pick from');
}
