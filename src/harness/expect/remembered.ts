/** A function whose last answers are kept, so that what is used in many cases is made once. */
export function remembered<T>(keptAtMost: number, make: (key: string) => T): (key: string) => T {
  const kept = new Map<string, T>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    if (kept.size >= keptAtMost) {
      for (const oldest of kept.keys()) {
        kept.delete(oldest);
        break;
      }
    }
    kept.set(key, made);
    return made;
  };
}

/** Something that was written in a suite, or why it cannot be used. */
export type Readable<T> = { readonly value: T } | { readonly problem: string };
