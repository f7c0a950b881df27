import { describe, expect, it } from 'vitest';
import { filledExpect } from '../../../src/harness/expect/filled.js';
import { expectSchema } from '../../../src/harness/suite/schema-expect.js';
import type { TimedEvent } from '../../../src/testedserver.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { check, messages, result } from './exchanges.js';

function asking(...asks: readonly (readonly [method: string, params?: JsonObject])[]) {
  return result(
    { content: [] },
    asks.map(([method, params = {}], atMs): TimedEvent => ({ type: 'ask', method, params, by: 'request', atMs })),
  );
}

const both = asking(
  ['elicitation/create', { message: 'Which city?', requestedSchema: { required: ['city'] } }],
  ['sampling/createMessage', { maxTokens: 5 }],
);

describe('what a server asks', () => {
  it.each([
    [undefined],
    [['elicitation', 'sampling']],
    [['elicitation/create', 'sampling/createMessage']],
    [[{ method: 'elicitation', fields: { '$.message': { contains: 'city' } } }, 'sampling']],
    [['elicitation', { method: 'sampling/createMessage', fields: { '$.maxTokens': 5 } }]],
  ])('is as expected by %j', async (asks) => {
    expect(await check({ asks }, both)).toEqual([]);
  });

  it('is nothing where nothing is expected', async () => {
    expect(await check({ asks: false }, asking())).toEqual([]);
    expect(await check({ asks: [] }, asking())).toEqual([]);
    expect(await check({ asks: false }, asking(['roots/list']))).toEqual([
      {
        kind: 'asks',
        message: 'The server asked its client for ["roots/list"]; expected nothing.',
        expected: [],
        actual: ['roots/list'],
      },
    ]);
  });

  it('is all of it, in its order', async () => {
    const asked = 'The server asked its client for ["elicitation/create","sampling/createMessage"]';
    expect(await messages({ asks: ['elicitation'] }, both)).toEqual([`${asked}; expected ["elicitation/create"].`]);
    expect(await messages({ asks: ['sampling', 'elicitation'] }, both)).toHaveLength(1);
    expect(await messages({ asks: ['roots'] }, asking())).toEqual([
      'The server asked its client for nothing; expected ["roots/list"].',
    ]);
  });

  it('is told by its place where a field of it is another', async () => {
    const city = { method: 'elicitation', fields: { '$.message': 'Who?' } };
    expect(await check({ asks: [city, 'sampling'] }, both)).toMatchObject([
      {
        kind: 'asks',
        path: '$.message',
        message: 'In elicitation/create (1 of 2), $.message is "Which city?"; expected "Who?".',
      },
    ]);
  });

  it('is no result where nobody answered it, unless that is expected', async () => {
    const question = { method: 'elicitation/create', params: {} };
    const asks = result({ resultType: 'input_required', inputRequests: { place: question } });
    expect(await messages({}, asks)).toEqual([
      'The server still asks its client for ["elicitation/create"], and gave no result; say under client what is answered, or under asks that it is expected.',
    ]);
    expect(await messages({}, result({ resultType: 'input_required', requestState: 'x' }))).toEqual([
      expect.stringMatching(/^The server still asks its client for another try, and gave no result/),
    ]);
    expect(await messages({ fields: { '$.resultType': 'input_required' } }, asks)).toEqual([]);
    expect(await messages({}, asks, { action: 'request' })).toEqual([]);
  });

  it('is not said to be all where more was asked than is kept', async () => {
    const cut = { ...asking(), leftOut: ['ask', 'notification', 'log'] } as const;
    const more = (what: string) => expect.stringMatching(`^The server sent more ${what} than are kept of one request`);
    expect(await messages({ asks: false }, cut)).toEqual([more('questions')]);
    expect(await messages({ notifications: false }, cut)).toEqual([more('notifications')]);
    expect(await messages({ notifications: [{ method: 'x', max: 0 }] }, cut)).toEqual([more('notifications')]);
    expect(await messages({ logs: { max: 0 } }, cut)).toEqual([more('log messages')]);
    expect(await messages({ progress: { max: 0 } }, cut)).toEqual([]);
    expect(await messages({ logs: { min: 0 } }, cut)).toEqual([]);
  });

  it.each([
    [5, 'a number'],
    [null, 'null'],
    ['', 'an empty text'],
    [{ fields: {} }, 'an object without one'],
  ])('has no method that is %j', (it, found) => {
    const reason = `is no method with its values in it: expected a text such as roots/list, found ${found}`;
    for (const key of ['asks', 'notifications']) {
      const written = expectSchema.parse({ [key]: ['{{ it }}'] });
      expect(() => filledExpect(written, { it })).toThrow(`expect.${key}.0 ${reason}`);
    }
  });

  it('may be called as every object has something called', async () => {
    const filled = filledExpect(expectSchema.parse({ asks: ['{{ it }}'] }), { it: 'constructor' });
    expect(await messages({}, asking(), { expect: filled })).toEqual([
      'The server asked its client for nothing; expected ["constructor"].',
    ]);
  });

  it('commands no terminal, and is bounded', async () => {
    const [message = ''] = await messages({ asks: false }, asking(['\u001b[2Jx/y'.padEnd(5000, 'z')]));
    expect(message).not.toContain('\u001b');
    expect(message.length).toBeLessThan(1000);
  });

  it('is compared with objects that took the place of values', async () => {
    const written = expectSchema.parse({ asks: [{ method: 'roots', fields: { '$.a': '{{ it }}' } }] });
    const filled = filledExpect(written, { it: { min: 3 } });
    expect(filled.asks).toEqual([{ method: 'roots', fields: { '$.a': { value: { min: 3 } } } }]);
  });

  it('begins progress anew where it is a result of the newer revision', async () => {
    const progress = { type: 'progress', done: 1, atMs: 1 } as const;
    const ask = { type: 'ask', method: 'roots/list', params: {}, atMs: 2 } as const;
    expect(await check({}, result({ content: [] }, [progress, { ...ask, by: 'result' }, progress]))).toEqual([]);
    expect(await check({}, result({ content: [] }, [progress, { ...ask, by: 'request' }, progress]))).toHaveLength(1);
    expect(await check({}, result({ content: [] }, [progress, { ...progress, round: 1 }]))).toEqual([]);
    const second = { ...progress, round: 1 };
    expect(await check({}, result({ content: [] }, [progress, second, second]))).toHaveLength(1);
  });
});
