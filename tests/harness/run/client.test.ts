import { describe, expect, it } from 'vitest';
import { openSession } from '../../../src/client/session/session.js';
import { commandOf } from '../../client/session/sessions.js';
import { fakeOpen, fakeTool, says, silence } from '../fakes.js';
import { runFake } from './harness.js';

const tools = [fakeTool('book')];
const ask = { type: 'ask', method: 'roots/list', params: { token: 's3cret' }, by: 'request', atMs: 1 } as const;

describe('A case with a client', () => {
  it('has a server of its own, which is told what it can do, and each try and row another', async () => {
    const open = fakeOpen({ tools, call: () => says('no') });
    await runFake(
      {
        cases: [
          { name: 'plain', tool: 'book' },
          { name: 'none', tool: 'book', client: {} },
          {
            name: '{{ how }}',
            tool: 'book',
            each: [{ how: 'decline' }, { how: 'cancel' }],
            client: { elicitation: '{{ how }}' },
          },
          { name: 'again', tool: 'book', client: { roots: [] }, retry: 1, expect: { text: 'yes' } },
        ],
      },
      open,
    );
    expect(open.opened.map(({ client }) => client?.capabilities)).toEqual([
      undefined,
      {},
      { elicitation: { form: {} } },
      { elicitation: { form: {} } },
      { roots: {} },
      { roots: {} },
    ]);
    expect(open.opened[3]?.client?.replies).toEqual({ elicitation: [{ result: { action: 'cancel' } }] });
    expect(open.servers.every(({ isOver }) => isOver)).toBe(true);
  });

  it('is held to what its own server lists', async () => {
    const open = fakeOpen({
      tools: [fakeTool('book', {}, { outputSchema: { type: 'object', required: ['city'] } })],
      call: () => ({ kind: 'result', result: { content: [], structuredContent: {} } }),
    });
    const book = { tool: 'book' };
    await runFake(
      {
        cases: [
          { name: 'one', ...book },
          { name: 'two', ...book, client: {} },
        ],
      },
      open,
    );
    const listed = open.servers.map(({ requests }) => requests.filter(({ method }) => method === 'tools/list').length);
    expect(listed).toEqual([1, 1]);
  });

  it('says which value its answers lack, or that one is no answer', async () => {
    const { findingsOf } = await runFake(
      {
        variables: { list: ['cancel'] },
        cases: [
          { name: 'lacks', tool: 'book', client: { elicitation: '{{ list[3] }}' } },
          { name: 'is none', tool: 'book', client: { elicitation: '{{ list }}', sampling: '{{ list }}' } },
        ],
      },
      fakeOpen({ tools }),
    );
    expect(findingsOf('lacks')).toEqual(['There is no value for {{ list[3] }}: list is a list of 1']);
    expect(findingsOf('is none')).toEqual([]);
  });

  it('gives no examples to checks, whose client is another', async () => {
    const open = fakeOpen({ tools });
    const { caseOf } = await runFake(
      {
        checks: { idempotence: { tools: ['book'] } },
        cases: [{ name: 'one', tool: 'book', client: { roots: [] } }],
      },
      open,
    );
    expect(caseOf('one').status).toBe('passed');
    const onShared = open.servers[0]?.requests.filter(({ method }) => method === 'tools/call');
    expect(onShared).toEqual([]);
  });

  it('has what was asked in its report, without secrets, and where validators look', async () => {
    const seen: unknown[] = [];
    const { caseOf } = await runFake(
      { cases: [{ name: 'one', tool: 'book', expect: { asks: ['roots'] }, validate: 'look' }] },
      fakeOpen({
        tools,
        call(_name, _args, { tell }) {
          tell(ask);
          return says('booked');
        },
      }),
      {
        validators: {
          look({ metadata }) {
            seen.push(metadata);
            return {};
          },
        },
      },
    );
    expect(caseOf('one')).toMatchObject({ status: 'passed', events: [{ ...ask, params: { token: '[redacted]' } }] });
    expect(seen).toMatchObject([{ events: [ask] }]);
  });
});

describe('A report', () => {
  it('has the first of what was asked, as far as there is room for all of it together', async () => {
    const long = { ...ask, params: { message: 'x'.repeat(60_000) } };
    const { caseOf } = await runFake(
      { cases: [{ name: 'one', tool: 'book' }] },
      fakeOpen({
        tools,
        call(_name, _args, { tell }) {
          for (let number = 0; number < 100; number += 1) tell(long);
          return says('booked');
        },
      }),
    );
    const { events = [] } = caseOf('one');
    expect(events[0]).toEqual(long);
    expect(JSON.stringify(events).length).toBeLessThan(400_000);
  });
});

describe('A notification that is expected', () => {
  const changed = { name: 'one', tool: 'book', expect: { notifications: ['tools/list_changed'] } };

  it('may come after the answer, and is in the report', async () => {
    const method = 'notifications/tools/list_changed';
    const open = fakeOpen({ tools, call: (_name, _args, { server }) => answerThen(() => server.notify(method)) });
    const { caseOf } = await runFake({ cases: [changed] }, open);
    expect(caseOf('one')).toMatchObject({ status: 'passed', events: [{ type: 'notification', method, params: {} }] });
  });

  it('is not waited for longer than its server lives, its time lasts, or the run goes on', async () => {
    const dies = fakeOpen({ tools, call: (_name, _args, { server }) => answerThen(() => server.die()) });
    expect((await runFake({ cases: [changed] }, dies)).findingsOf('one')).toEqual([
      'There were 0 notifications tools/list_changed; expected at least 1. There were none at all.',
    ]);
    const silent = fakeOpen({ tools });
    expect((await runFake({ cases: [{ ...changed, timeout: 20 }] }, silent)).statuses).toEqual({ one: 'failed' });
    const giveUp = new AbortController();
    const given = fakeOpen({ tools, call: () => answerThen(() => giveUp.abort()) });
    const { statuses } = await runFake({ cases: [changed] }, given, { signal: giveUp.signal });
    expect(statuses).toEqual({ one: 'skipped' });
  });

  it('is waited for in many cases at once without a warning about listeners', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const each = Array.from({ length: 20 }, (_, number) => ({ number }));
    const { signal } = new AbortController();
    const waiting = { ...changed, name: '{{ number }}', each, timeout: 20 };
    await runFake({ parallel: 20, cases: [waiting] }, fakeOpen({ tools }), { signal });
    await new Promise(setImmediate);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('A server of the newer revision', () => {
  const modern = { protocolVersion: '2026-07-28' };
  const updated = { method: 'resources/updated', fields: { '$.uri': 'a://b' } };

  it('is asked to tell what is expected of it, and no longer than that', async () => {
    const filters: unknown[] = [];
    let isOver = false;
    const open = fakeOpen({
      tools,
      introduction: modern,
      request(method, params, { server, signal }) {
        if (method !== 'subscriptions/listen') return undefined;
        filters.push(params.notifications);
        signal.addEventListener('abort', () => {
          isOver = true;
        });
        server.notify('notifications/subscriptions/acknowledged');
        return silence();
      },
      call: (_name, _args, { server }) => answerThen(() => server.notify(updated.method, { uri: 'a://b' })),
    });
    const none = { method: 'notifications/prompts/list_changed', max: 0 };
    const { caseOf } = await runFake(
      { cases: [{ name: 'one', tool: 'book', expect: { notifications: [updated, none] } }] },
      open,
    );
    expect(caseOf('one')).toMatchObject({ status: 'passed', events: [{ method: 'resources/updated' }] });
    expect(filters).toEqual([{ promptsListChanged: true, resourceSubscriptions: ['a://b'] }]);
    expect(isOver).toBe(true);
  });

  it('is tested all the same where it cannot tell, or nothing can be asked for', async () => {
    const open = fakeOpen({ tools, introduction: modern });
    const cases = [['tools/list_changed'], ['desk/rang']].map((notifications, number) => {
      return { name: `${number}`, tool: 'book', timeout: 20, expect: { notifications } };
    });
    expect((await runFake({ cases }, open)).statuses).toEqual({ 0: 'failed', 1: 'failed' });
    const listens = open.servers[0]?.requests.filter(({ method }) => method === 'subscriptions/listen');
    expect(listens).toHaveLength(1);
  });

  it('tells of a tool that is new', async () => {
    const learn = { name: 'one', tool: 'learn', arguments: { name: 'new' } };
    const target = commandOf('asks_its_client.mjs');
    const { findingsOf } = await runFake(
      { cases: [{ ...learn, expect: { notifications: ['tools/list_changed'] } }] },
      (options) => openSession(target, { ...options, protocol: 'modern' }),
    );
    expect(findingsOf('one')).toEqual([]);
  });
});

function answerThen(happens: () => void) {
  setImmediate(() => setImmediate(happens));
  return says('booked');
}
