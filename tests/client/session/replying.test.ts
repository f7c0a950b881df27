import { expect, test } from 'vitest';
import type { Link } from '../../../src/client/link.js';
import { createReplying } from '../../../src/client/session/replying.js';

/** An address whose answers are taken when the test says so. */
function fakeLink(process?: Link['process']) {
  const sent: unknown[] = [];
  const taken: (() => void)[] = [];
  const ends: string[] = [];
  const link: Link = {
    transport: {
      start: async () => {},
      close: async () => {},
      send(message) {
        sent.push('id' in message && message.id);
        return new Promise((resolve) => taken.push(resolve));
      },
    },
    ...(process && { process }),
    failure: undefined,
    isOver: false,
    ended: new Promise(() => {}),
    abandoned: 0,
    end: async (reason) => void ends.push(reason().message),
  };
  return { link, sent, taken, ends };
}

const reply = { result: {} };

test('answers to an address take turns, in the order of the questions', async () => {
  const { link, sent, taken } = fakeLink();
  const answer = createReplying(link);
  for (let id = 0; id < 20; id += 1) answer(id, reply);
  expect(sent).toHaveLength(8);
  while (taken.length > 0) {
    taken.shift()?.();
    await new Promise(setImmediate);
  }
  expect(sent).toEqual(Array.from({ length: 20 }, (_, id) => id));
  answer('last', reply);
  expect(sent.at(-1)).toBe('last');
});

test('a server at an address that asks without end is given up', () => {
  const { link, ends } = fakeLink();
  const answer = createReplying(link);
  for (let id = 0; id < 10_009; id += 1) answer(id, reply);
  expect(ends).toEqual(['The MCP server asked more than 10000 times before it took the answers, and was given up']);
});

test('a process is answered at once', () => {
  const { link, sent } = fakeLink({ pid: 1 });
  const answer = createReplying(link);
  for (let id = 0; id < 20; id += 1) answer(id, reply);
  expect(sent).toHaveLength(20);
});
