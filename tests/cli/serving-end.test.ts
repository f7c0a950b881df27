import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { areRead } from '../../src/cli/serving-end.js';

describe('what a server wrote at its end', () => {
  it('is read where nothing waits', async () => {
    expect(await areRead([new PassThrough(), new PassThrough()])).toBe(true);
  });

  it('is read where the reader takes it soon', async () => {
    const stream = filled();
    setImmediate(() => stream.resume());
    expect(await areRead([stream], 20_000)).toBe(true);
  });

  it('is not read where the reader takes nothing', async () => {
    expect(await areRead([new PassThrough(), filled()], 10)).toBe(false);
  });

  it('is not read where the stream was given up', async () => {
    const stream = filled();
    stream.destroy();
    expect(await areRead([stream], 20_000)).toBe(false);
  });
});

function filled(): PassThrough {
  const stream = new PassThrough({ highWaterMark: 10 });
  for (let count = 0; count < 10; count++) stream.write('x'.repeat(100));
  return stream;
}
