const firstMs = 60_000;
const longestMs = 15 * 60_000;

/**
 * Work that fails is not done again for a while, each time for longer, and meanwhile fails as it did: checks come every few
 * seconds, and an installation that cannot succeed costs a second of a processor each time.
 */
export function withPatience<T extends object, R>(
  work: (subject: T) => Promise<R>,
  now: () => number = Date.now,
): (subject: T) => Promise<R> {
  const failed = new WeakMap<T, { readonly error: unknown; readonly waitMs: number; readonly until: number }>();
  return async (subject) => {
    const before = failed.get(subject);
    if (before && now() < before.until) throw before.error;
    try {
      return await work(subject);
    } catch (error) {
      const waitMs = before ? Math.min(before.waitMs * 2, longestMs) : firstMs;
      failed.set(subject, { error, waitMs, until: now() + waitMs });
      throw error;
    }
  };
}
