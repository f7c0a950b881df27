import type { Writable } from 'node:stream';

const lastWordsMs = 500;

/** Whether what was written is read within a moment. A pipe that nobody reads would keep the process alive without end. */
export async function areRead(streams: readonly Writable[], withinMs: number = lastWordsMs): Promise<boolean> {
  const read = await Promise.all(streams.map((stream) => isRead(stream, withinMs)));
  return !read.includes(false);
}

function isRead(stream: Writable, withinMs: number): Promise<boolean> | boolean {
  if (stream.writableLength === 0) return true;
  if (stream.destroyed) return false;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), withinMs);
    // Written after everything else, so that all of it is read when this is.
    stream.write('', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
