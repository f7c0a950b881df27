/** How long the first question may take to come before the work begins without it. */
const beginAfterMs = 50;

/** Work that begins once the tools were listed, or when nobody asks for them, and that an end may come before. */
export function createLater(work: () => Promise<Closable | undefined>) {
  let begun: Promise<Closable | undefined> | undefined;
  let isClosed = false;
  const begin = () => {
    clearTimeout(timer);
    if (!isClosed) begun ??= work().catch(() => undefined);
  };
  const timer = setTimeout(begin, beginAfterMs);
  return {
    begin,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      (await begun)?.close();
    },
  };
}

interface Closable {
  close(): void;
}
