import { expect, test } from 'vitest';
import { whenReachable } from '../../../src/client/session/waiting.js';
import { HostError } from '../../../src/errors.js';
import { failure } from '../harness.js';

const url = 'http://127.0.0.1:9/mcp';

function failing(...codes: readonly string[]): () => Promise<string> {
  const left = codes.values();
  return async () => {
    const { value: code, done } = left.next();
    if (done) return 'opened';
    const cause = new Error('fetch failed', { cause: Object.assign(new Error('no'), { code }) });
    throw new HostError('SERVER_FAILED', `It failed: ${code}`, {}, { cause });
  };
}

test('an address is tried again while nobody answers there', async () => {
  const open = failing('ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET');
  expect(await whenReachable(open, { url, timeoutMs: 60_000 })).toBe('opened');
});

test('an address that fails in another way is not tried again', async () => {
  expect(await failure(whenReachable(failing('ENOTFOUND'), { url, timeoutMs: 60_000 }))).toMatchObject({
    message: 'It failed: ENOTFOUND',
  });
});

test('an address is no longer tried when whoever waits gave up', async () => {
  const signal = AbortSignal.abort();
  expect(await failure(whenReachable(failing('ECONNREFUSED'), { url, timeoutMs: 60_000, signal }))).toMatchObject({
    message: 'It failed: ECONNREFUSED',
  });
});
