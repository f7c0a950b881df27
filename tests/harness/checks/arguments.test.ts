import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/toolbox.js';
import { fails, fakeOpen, fakeTool, rpcError, says, silence } from '../fakes.js';
import { example, reportsOf, verdictOf } from './reports.js';

const add = fakeTool('add', { a: { type: 'number' }, b: { type: 'number' } });

describe('check: arguments', () => {
  it('sends what the schema refuses, one thing wrong at a time', async () => {
    const kind = { type: 'string', enum: ['up', 'down'] };
    const tool = fakeTool('move', { kind, by: { type: 'integer', minimum: 5 } });
    const strict = { ...tool, inputSchema: { ...tool.inputSchema, additionalProperties: false } };
    const open = fakeOpen({ tools: [strict], call: () => fails('no') });
    expect(await verdictOf(['arguments'], { open, tools: [strict] })).toEqual([
      { id: 'check: arguments of move', status: 'passed' },
    ]);
    expect(sentBy(open)).toEqual([
      { by: 5 },
      { kind: 'up' },
      { kind: [['neither', 'text']], by: 5 },
      { kind: 'no such choice', by: 5 },
      { kind: 'up', by: 'neither a number nor a list' },
      { kind: 'up', by: 4 },
      { kind: 'up', by: 5, no_such_argument: true },
    ]);
  });

  it('sends what is beyond the bounds of the schema', async () => {
    const tool = fakeTool('set', {
      low: { type: 'integer', minimum: 1, maximum: 9 },
      open: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      text: { type: 'string', minLength: 2, maxLength: 3 },
      list: { type: 'array', items: { type: 'string' }, minItems: 1 },
      any: { type: 'string', minLength: 0 },
    });
    const model = { low: 5, open: 0.5, text: 'ab', list: ['a'], any: 'a' };
    const open = fakeOpen({ tools: [tool], call: () => says('taken') });
    const [report] = await reportsOf(['arguments'], { open, tools: [tool], examples: [example('set', model)] });
    expect(report?.findings.map(({ message }) => message).filter((each) => each.includes('its m'))).toEqual([
      'A call of set with a number below its minimum as low was taken as if nothing were wrong.',
      'A call of set with a number above its maximum as low was taken as if nothing were wrong.',
      'A call of set with a number below its minimum as open was taken as if nothing were wrong.',
      'A call of set with a number above its maximum as open was taken as if nothing were wrong.',
      'A call of set with a text below its minLength as text was taken as if nothing were wrong.',
      'A call of set with a text above its maxLength as text was taken as if nothing were wrong.',
    ]);
    const sent = sentBy(open);
    expect(sent).toEqual(
      expect.arrayContaining([
        { ...model, low: 0 },
        { ...model, open: 1 },
        { ...model, text: 'xxxx' },
      ]),
    );
    expect(sent).toContainEqual({ ...model, list: [] });
  });

  it('begins with the arguments of a case that passed', async () => {
    const open = fakeOpen({ tools: [add], call: () => rpcError(-32602, 'no') });
    await reportsOf(['arguments'], { open, tools: [add], examples: [example('add', { a: 20, b: 30 })] });
    expect(sentBy(open).slice(0, 2)).toEqual([{ b: 30 }, { a: 20 }]);
  });

  it('fails where they are taken, or refused with another error', async () => {
    const open = fakeOpen({
      tools: [add],
      call: (_name, args) => (args.a === undefined ? rpcError(-32603, 'TypeError') : says('3')),
    });
    const [report] = await reportsOf(['arguments'], { open, tools: [add] });
    expect(report?.findings.map(({ message }) => message)).toEqual([
      'A call of add without the required a was refused with the error -32603 (TypeError).',
      'A call of add without the required b was taken as if nothing were wrong.',
      'A call of add with a text as a was taken as if nothing were wrong.',
      'A call of add with a text as b was taken as if nothing were wrong.',
    ]);
    expect(report?.findings[1]).toMatchObject({
      expected: 'a result with isError, or the JSON-RPC error -32602',
      actual: { content: [{ type: 'text', text: '3' }] },
      detail: 'tools/call of add with {"a":1}',
    });
  });

  it('ends at the first call that is not answered', async () => {
    const open = fakeOpen({ tools: [add], call: silence });
    const [report] = await reportsOf(['arguments'], { open, tools: [add], timeoutMs: 20 });
    expect(report?.findings).toMatchObject([{ kind: 'no_answer', code: 'TIMEOUT' }]);
    expect(open.servers[0]?.requests).toHaveLength(1);
  });

  it('does not call what destroys, unless it is named, nor what needs a task', async () => {
    const remove = fakeTool('remove', { what: { type: 'string' } }, { annotations: { destructiveHint: true } });
    const research = { ...fakeTool('research', { what: { type: 'string' } }), execution: { taskSupport: 'required' } };
    const open = fakeOpen({ tools: [remove, research], call: () => fails('no') });
    const given = { open, tools: [remove, research] };
    expect(await verdictOf(['arguments'], given)).toEqual([
      { id: 'check: arguments', status: 'skipped', reason: expect.stringContaining('taken: remove.') },
    ]);
    expect(open.servers).toEqual([]);
    expect(await verdictOf({ arguments: { except: ['remove'] } }, { ...given, tools: [remove, add] })).toMatchObject([
      { id: 'check: arguments of add' },
    ]);
    expect(await verdictOf({ arguments: { tools: ['remove'] } }, given)).toEqual([
      { id: 'check: arguments of remove', status: 'passed' },
    ]);
  });

  it('sends nothing that the schema allows after all, or where the schema is none', async () => {
    const anything = fakeTool('any', { a: { anyOf: [{ type: 'string' }, { type: 'array' }] } });
    const loose = { ...anything, inputSchema: { ...anything.inputSchema, required: [] } };
    const broken = { ...fakeTool('broken', { a: { type: 'int' } }) };
    const open = fakeOpen({ tools: [] });
    expect(await verdictOf(['arguments'], { open, tools: [loose, broken] })).toEqual([
      { id: 'check: arguments of any', status: 'skipped', reason: 'Its inputSchema allows all that was thought of.' },
      { id: 'check: arguments of broken', status: 'skipped', reason: expect.stringContaining('cannot be used') },
    ]);
    expect(await verdictOf(['arguments'], { open, tools: [fakeTool('none')] })).toMatchObject([
      { status: 'skipped', reason: 'No tool takes arguments that could be wrong.' },
    ]);
  });

  it('is not held up by a pattern that takes for ever', async () => {
    const slow = fakeTool('slow', { a: { type: ['string', 'number'], pattern: '^(([a-z ])+)+$' } });
    const hung = { ...slow, inputSchema: { ...slow.inputSchema, properties: { a: { pattern: '^(([a-z ])+)+Z$' } } } };
    const open = fakeOpen({ tools: [] });
    expect(await verdictOf(['arguments'], { open, tools: [hung] })).toMatchObject([
      { status: 'skipped', reason: 'Its inputSchema takes too long to hold arguments against.' },
    ]);
  });
});

function sentBy(open: ReturnType<typeof fakeOpen>): readonly JsonObject[] {
  return open.servers
    .flatMap(({ requests }) => requests)
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => params.arguments as JsonObject);
}
