/** Works on all of them, on so many at once. The first failure ends it, once the work under way is over. */
export async function eachAtOnce<T>(atOnce: number, all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = all.values();
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    for (const one of waiting) {
      if (failure) return;
      await work(one).catch((error: unknown) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, lane));
  if (failure) throw failure.error;
}
