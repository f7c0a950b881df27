import { describe, expect, it } from 'vitest';
import { createPatience } from '../../../src/harness/expect/other-notifications.js';
import type { NotificationEvent } from '../../../src/testedserver.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { check, messages, result } from './exchanges.js';

function notification(method: string, params: JsonObject = {}): NotificationEvent {
  return { type: 'notification', method: `notifications/${method}`, params };
}

const updates = ['a', 'b', 'b'].map((uri) => notification('resources/updated', { uri }));
const heard = result(
  { content: [] },
  [notification('tools/list_changed'), ...updates].map((event, atMs) => ({ ...event, atMs })),
);
const ofB = { method: 'resources/updated', fields: { '$.uri': 'b' } };

describe('notifications', () => {
  it.each([
    [undefined],
    [['tools/list_changed']],
    [['notifications/tools/list_changed', 'resources/updated']],
    [[ofB]],
    [[{ ...ofB, min: 2, max: 2 }]],
    [[{ method: 'prompts/list_changed', max: 0 }]],
  ])('are as expected by %j', async (notifications) => {
    expect(await check({ notifications }, heard)).toEqual([]);
  });

  it('are not said to be absent where the pattern that they are looked for by is none', async () => {
    const odd = { method: 'resources/updated', fields: { '$.uri': { pattern: '(' } }, max: 0 };
    expect(await messages({ notifications: [odd] }, heard)).toEqual([
      expect.stringMatching(/^\/\(\/ is no regular expression: /),
    ]);
  });

  it('are counted, those alone that fit', async () => {
    expect(await check({ notifications: [{ ...ofB, min: 3 }] }, heard)).toMatchObject([
      {
        kind: 'notifications',
        message: expect.stringMatching(
          /^There were 2 notifications resources\/updated with \{"\$\.uri":"b"\}; expected at least 3\. There were \["notifications\/tools/,
        ),
        expected: { ...ofB, min: 3 },
      },
    ]);
    expect(await messages({ notifications: [{ ...ofB, max: 1 }] }, heard)).toEqual([
      expect.stringMatching(/; expected at most 1\./),
    ]);
    expect(await messages({ notifications: ['desk/rang'] }, result({ content: [] }))).toEqual([
      'There were 0 notifications desk/rang; expected at least 1. There were none at all.',
    ]);
  });

  it('are none where none is expected', async () => {
    expect(await check({ notifications: false }, result({ content: [] }))).toEqual([]);
    expect(await messages({ notifications: false }, heard)).toEqual([
      expect.stringMatching(/^There were notifications, \["notifications\/tools\/list_changed",.*; expected none\.$/),
    ]);
  });

  it('are waited for until all that are expected came, or a pattern takes too long', () => {
    const patience = createPatience(['tools/list_changed', { ...ofB, min: 2 }, { method: 'x/y', max: 0 }]);
    const steps = [notification('tools/list_changed'), ...updates].map((event) => {
      patience.hear(event);
      return patience.isOver;
    });
    expect(steps).toEqual([false, false, false, true]);
    expect(createPatience(false).isOver).toBe(true);
    const endless = createPatience([{ method: 'a/b', fields: { '$.x': { pattern: '^(a+)+$' } } }]);
    endless.hear(notification('a/b', { x: `${'a'.repeat(40)}!` }));
    expect(endless.isOver).toBe(true);
  });
});
