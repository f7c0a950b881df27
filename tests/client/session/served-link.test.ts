import { expect, test } from 'vitest';
import { neverStarted } from '../../../src/client/command/spawn.js';
import { serverFailed } from '../../../src/client/failures.js';
import type { Link, Reason } from '../../../src/client/link.js';
import { createHeard } from '../../../src/client/session/heard.js';
import type { Life } from '../../../src/client/session/served.js';
import { onProcess } from '../../../src/client/session/served-link.js';

function fakeLink(): Link {
  const transport = { start: async () => {}, send: async () => {}, close: async () => {} };
  return {
    transport,
    failure: undefined,
    isOver: false,
    ended: new Promise(() => {}),
    abandoned: 0,
    end: async () => {},
  };
}

function fakeLife() {
  let failure: Reason | undefined;
  let resolveGone: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    resolveGone = resolve;
  });
  const life: Life = {
    process: neverStarted('ENOENT'),
    at: 0,
    heard: createHeard((text) => text),
    get failure() {
      return failure;
    },
    gone,
    end: async () => {},
  };
  return {
    life,
    die() {
      failure = () => serverFailed('It ended');
      resolveGone();
    },
  };
}

test('an answer that is lost with its process is told of when it is known how that ended', async () => {
  const inner = fakeLink();
  const { life, die } = fakeLife();
  const link = onProcess(inner, life, async () => {});
  const told = new Promise<string | undefined>((resolve) => {
    link.onLost = () => resolve(link.failure?.().message);
  });
  inner.onLost?.('call-1', 'the connection ended');
  die();
  expect(await told).toBe('It ended');
});
