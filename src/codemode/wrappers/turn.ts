const last = new Map<string, Promise<unknown>>();

/** Work on the same thing is done one after the other. */
export async function inTurn<T>(thing: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(thing) ?? Promise.resolve();
  const own = before.then(work, work);
  const over = own.then(
    () => undefined,
    () => undefined,
  );
  last.set(thing, over);
  try {
    return await own;
  } finally {
    if (last.get(thing) === over) last.delete(thing);
  }
}
