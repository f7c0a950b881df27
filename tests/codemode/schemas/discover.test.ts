import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscoverSchemasOptions } from '../../../src/codemode/code-execution.js';
import { type Discovery, discover } from '../../../src/codemode/schemas/discover.js';
import { openSchemaStore, type SchemaStore } from '../../../src/codemode/schemas/store.js';
import { CallerError, HostError } from '../../../src/errors.js';
import type { CallEvent, JsonObject, ToolResult } from '../../../src/toolbox.js';
import { type FakeServer, type FakeTool, fakeSource } from '../fakes.js';

let folder: string;
let store: SchemaStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'discover-'));
  store = await openSchemaStore(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const readOnly = { annotations: { readOnlyHint: true } };
const answering = (value: JsonObject): Pick<FakeTool, 'answer'> => ({
  answer: () => ({ content: [], structuredContent: value }),
});

describe('discovery of schemas', () => {
  it('does not call a tool that declares its output', async () => {
    const outputSchema = { type: 'object' };
    const { tools, calls } = await discovered(
      { a: { outputSchema, ...readOnly } },
      { acceptReadOnly: true, safeTools: [safe('a')] },
    );
    expect(tools).toEqual([{ server: 's', tool: 'a', origin: 'declared', samples: 0, schema: outputSchema }]);
    expect(calls).toEqual([]);
  });

  it('infers from the answers of a tool that is marked as safe, one for each set of arguments', async () => {
    const values: readonly JsonObject[] = [{ a: 1 }, { a: 2, b: 'x' }];
    const tool: FakeTool = { answer: ({ n }) => ({ content: [], structuredContent: values[Number(n) - 1] }) };
    const { tools, calls } = await discovered({ look: tool }, { safeTools: [safe('look', { n: 1 }, { n: 2 })] });
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'string' } },
      required: ['a'],
    };
    expect(tools).toEqual([{ server: 's', tool: 'look', origin: 'inferred', samples: 2, schema }]);
    expect(calls.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(store.resultSchemas('s', 'look')).toEqual({ schema, origin: 'inferred', samples: 2 });
  });

  it('keeps no value of an answer', async () => {
    await discovered({ look: answering({ token: 'very-private-value' }) }, { safeTools: [safe('look')] });
    const [file = ''] = await readdir(folder);
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).toContain('"token"');
    expect(text).not.toContain('very-private-value');
  });

  it('decodes texts that are JSON, all of them or none', async () => {
    const saying = (...texts: string[]): FakeTool => ({ answer: ({ n }) => text(texts[Number(n)] ?? '') });
    await discovered(
      { rows: saying('[{"a":1}]', '[]'), mixed: saying('{"a":1}', 'none found'), word: saying('7', 'true') },
      { safeTools: ['rows', 'mixed', 'word'].map((tool) => safe(tool, { n: 0 }, { n: 1 })) },
    );
    expect(store.resultSchemas('s', 'rows')).toMatchObject({ isJsonText: true, schema: { type: 'array' } });
    expect(store.resultSchemas('s', 'mixed')).toEqual({ schema: { type: 'string' }, origin: 'inferred', samples: 2 });
    expect(store.resultSchemas('s', 'word')).toEqual({ schema: { type: 'string' }, origin: 'inferred', samples: 2 });
  });

  it('calls tools that declare to change nothing only where that was accepted', async () => {
    const tools = { look: { ...readOnly, ...answering({ a: 1 }) }, write: answering({ a: 1 }) };
    const refused = await discovered(tools, {});
    expect(refused.calls).toEqual([]);
    expect(refused.tools.map(({ reason }) => reason)).toEqual([
      'It declares that it changes nothing, which was not accepted as enough. Accept tools that declare it, or mark this one as safe.',
      'It does not declare that it changes nothing. If calling it is safe, mark it as safe.',
    ]);
    const accepted = await discovered(tools, { acceptReadOnly: true });
    expect(accepted.calls.map(({ tool }) => tool)).toEqual(['look']);
  });

  it('calls a tool that declares to be destructive only by its own name', async () => {
    const both = { annotations: { readOnlyHint: true, destructiveHint: true }, ...answering({ a: 1 }) };
    const wide = await discovered({ drop: both }, { acceptReadOnly: true, safeTools: [safe('*')] });
    expect(wide.calls).toEqual([]);
    expect(wide.tools[0]?.reason).toContain('may destroy or overwrite');
    const named = await discovered({ drop: both }, { safeTools: [safe('drop')] });
    expect(named.calls).toHaveLength(1);
  });

  it('takes * for all tools of the server that do not declare to be destructive', async () => {
    const tools = { a: answering({}), b: answering({}), c: { annotations: { destructiveHint: true } } };
    const { calls } = await discovered(tools, { safeTools: [safe('*')] });
    expect(calls.map(({ tool }) => tool)).toEqual(['a', 'b']);
  });

  it('believes a tool only what it said when it was pinned', async () => {
    const pinned = { name: 'look', inputSchema: {}, annotations: {} };
    const { calls } = await discovered(
      { look: { ...readOnly, ...answering({}) } },
      { acceptReadOnly: true },
      { pinnedTool: () => pinned },
    );
    expect(calls).toEqual([]);
  });

  it('calls no tool without the arguments that it needs, and says which', async () => {
    const tool = { inputSchema: { type: 'object', required: ['owner', 'repo'] }, ...readOnly, ...answering({}) };
    const { tools, calls } = await discovered({ look: tool }, { acceptReadOnly: true });
    expect(calls).toEqual([]);
    expect(tools[0]?.reason).toBe(
      'It needs the arguments owner, repo. Mark it as safe together with arguments to call it with.',
    );
    const given = await discovered(
      { look: tool },
      { safeTools: [safe('look', { owner: 'a' }, { owner: 'a', repo: 'b' })] },
    );
    expect(given.calls.map(({ args }) => args)).toEqual([{ owner: 'a', repo: 'b' }]);
  });

  it('learns nothing from a call that failed, and says why', async () => {
    const { tools } = await discovered(
      {
        fails: { answer: () => ({ content: [{ type: 'text', text: 'no\u001b[31m such\nthing' }], isError: true }) },
        refused: {
          answer: () => {
            throw new CallerError('NOT_ALLOWED', 'The policy denies s/refused');
          },
        },
        odd: {
          answer: () => {
            throw new Error('/home/someone/secret');
          },
        },
        half: {
          answer: ({ n }) => (n === 1 ? { content: [], structuredContent: {} } : { content: [], isError: true }),
        },
      },
      { safeTools: [safe('fails'), safe('refused'), safe('odd'), safe('half', { n: 1 }, { n: 2 })] },
    );
    expect(tools.map(({ tool, origin, reason }) => [tool, origin, reason])).toEqual([
      ['fails', 'none', 'It answered that it failed: no\ufffd[31m such thing'],
      ['refused', 'none', 'The call failed: The policy denies s/refused (NOT_ALLOWED)'],
      ['odd', 'none', 'The call failed for an unknown reason.'],
      ['half', 'inferred', 'It answered that it failed: without a word'],
    ]);
    expect(store.resultSchemas('s', 'fails')).toBeUndefined();
  });

  it('gives up a call that does not end, and a server that fails again and again', async () => {
    const hangs: FakeTool = { answer: () => new Promise(() => undefined) };
    const tools = Object.fromEntries([...'abcdefghij'].map((name) => [name, hangs]));
    const found = await discovered(tools, { safeTools: [safe('*')] }, { callTimeoutMs: 20 });
    expect(found.calls.length).toBeLessThan(10);
    expect(found.tools[0]?.reason).toContain('did not answer within 20 ms');
    expect(found.tools.at(-1)?.reason).toContain('The server failed too often');
  });

  it('learns nothing from an answer without measure', async () => {
    const rows = Array.from({ length: 250_000 }, (_, index) => index);
    const { tools } = await discovered(
      { large: answering({ rows }), long: { answer: () => text('x'.repeat(4_100_000)) } },
      { safeTools: [safe('*')] },
    );
    for (const { origin, reason } of tools)
      expect([origin, reason]).toEqual(['none', expect.stringContaining('too large')]);
  });

  it('makes a bounded number of calls', async () => {
    const tools = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`tool_${index}`, answering({})]));
    const found = await discovered(tools, { safeTools: [safe('*')] });
    expect(found.calls).toHaveLength(500);
    expect(found.tools.at(-1)?.reason).toContain('more than 500 calls');
  });

  it('reports a safe tool and a server that there is not, with the nearest name', async () => {
    const found = await discovered(
      { list_issues: answering({}) },
      { safeTools: [safe('list_isues'), { server: 'nobody', tool: 'a' }] },
    );
    expect(found.tools.at(-1)).toMatchObject({
      tool: 'list_isues',
      origin: 'none',
      reason: 'The server has no such tool. Did you mean list_issues?',
    });
    expect(found.failures).toMatchObject([{ server: 'nobody', code: 'UNKNOWN_SERVER' }]);
  });

  it('goes on with the others where one server fails', async () => {
    const source = fakeSource({
      broken: { tools: {}, failure: new HostError('SERVER_FAILED', 'It died.') },
      fine: { tools: { a: answering({ x: 1 }) } },
    });
    const found = await run(source, { safeTools: [{ server: 'fine', tool: '*' }] });
    expect(found.failures).toEqual([{ server: 'broken', code: 'SERVER_FAILED', message: 'It died.' }]);
    expect(found.tools).toMatchObject([{ server: 'fine', tool: 'a', origin: 'inferred' }]);
  });

  it('asks only the servers that it is to', async () => {
    const source = fakeSource({ one: { tools: {} }, two: { tools: {} } });
    await run(source, { servers: ['two'] });
    expect(source.lists.map(({ server }) => server)).toEqual(['two']);
  });

  it('tells its progress', async () => {
    const events: CallEvent[] = [];
    await discovered({ a: answering({}) }, { safeTools: [safe('a')], onEvent: (event) => void events.push(event) });
    expect(events).toEqual([
      { type: 'progress', done: 1, total: 2, message: 's: tools to call: 1 of 1' },
      { type: 'progress', done: 2, total: 2, message: 's: tools with an inferred schema: 1' },
    ]);
  });

  it('ends when it is cancelled, and tells the call that is under way', async () => {
    const stop = new AbortController();
    let told: AbortSignal | undefined;
    const hangs: FakeTool = {
      answer: (_args, { signal }) => {
        told = signal;
        stop.abort();
        return new Promise(() => undefined);
      },
    };
    const found = discovered({ a: hangs }, { safeTools: [safe('a')], signal: stop.signal });
    await expect(found).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(told?.aborted).toBe(true);
  });
});

describe('discovery again', () => {
  it('with the same answers changes nothing', async () => {
    const options = { safeTools: [safe('look', {}, {}, {})] };
    await discovered({ look: answering({ a: 1 }) }, options);
    const [file = ''] = await readdir(folder);
    const before = await readFile(join(folder, file), 'utf8');
    const { tools } = await discovered({ look: answering({ a: 1 }) }, options);
    expect(await readFile(join(folder, file), 'utf8')).toBe(before);
    expect(tools[0]).toMatchObject({ samples: 3, origin: 'inferred' });
    expect(tools[0]?.drift).toBeUndefined();
  });

  it('with other answers widens the schema, and reports that as drift', async () => {
    await discovered({ look: answering({ a: 1 }) }, { safeTools: [safe('look')] });
    const { tools } = await discovered({ look: answering({ a: null }) }, { safeTools: [safe('look')] });
    expect(tools[0]).toEqual({
      server: 's',
      tool: 'look',
      origin: 'inferred',
      samples: 2,
      schema: { type: 'object', properties: { a: { type: ['integer', 'null'] } }, required: ['a'] },
      drift: 'The answer does not fit what was inferred from one sample: a is null, expected integer.',
    });
  });

  it('takes answers for plain text once one of them is', async () => {
    await discovered({ look: { answer: () => text('{"a":1}') } }, { safeTools: [safe('look')] });
    const { tools } = await discovered({ look: { answer: () => text('nothing') } }, { safeTools: [safe('look')] });
    expect(tools[0]).toMatchObject({ schema: { type: 'string' }, drift: expect.stringContaining('no JSON') });
    await discovered({ look: { answer: () => text('{"a":1}') } }, { safeTools: [safe('look')] });
    expect(store.resultSchemas('s', 'look')).toEqual({ schema: { type: 'string' }, origin: 'inferred', samples: 2 });
  });

  it('keeps what is known of a tool that is not called this time, or fails', async () => {
    await discovered({ look: answering({ a: 1 }) }, { safeTools: [safe('look')] });
    const silent = await discovered({ look: {} }, {});
    expect(silent.tools[0]).toMatchObject({ origin: 'inferred', samples: 1 });
    const failing: FakeTool = { answer: () => ({ content: [], isError: true }) };
    const failed = await discovered({ look: failing }, { safeTools: [safe('look')] });
    expect(failed.tools[0]).toMatchObject({ origin: 'inferred', reason: 'It answered that it failed: without a word' });
    expect(store.resultSchemas('s', 'look')).toBeDefined();
  });

  it('starts anew for a tool that changed, and forgets one that is gone', async () => {
    await discovered({ look: answering({ a: 1 }), gone: answering({}) }, { safeTools: [safe('*')] });
    const { tools } = await discovered({ look: { description: 'Does something else now.' } }, {});
    expect(tools[0]).toMatchObject({
      origin: 'none',
      reason: expect.stringMatching(/^It changed since its answers were learnt\. It does not declare/),
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

type Options = DiscoverSchemasOptions;

async function discovered(tools: FakeServer['tools'], options: Options, more: Partial<Discovery> = {}) {
  const source = fakeSource({ s: { tools } });
  return { ...(await run(source, options, more)), calls: source.calls };
}

function run(source: ReturnType<typeof fakeSource>, options: Options, more: Partial<Discovery> = {}) {
  return discover({ source, store, options, call: source.call, ...more });
}

function safe(tool: string, ...args: JsonObject[]) {
  return { server: 's', tool, ...(args.length > 0 && { arguments: args }) };
}

function text(said: string): ToolResult {
  return { content: [{ type: 'text', text: said }] };
}
