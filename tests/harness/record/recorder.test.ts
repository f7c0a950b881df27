import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type RecordedSuite, recordedSuite } from '../../../src/harness/record/recorded-suite.js';
import { createRecorder, type Side } from '../../../src/harness/record/recorder.js';
import { writeSuite } from '../../../src/harness/record/writer.js';
import { suiteOf } from '../../../src/harness/suite/read.js';
import { suiteSchema } from '../../../src/harness/suite/schema.js';
import type { JsonObject, JsonValue } from '../../../src/toolbox.js';

const at = new Date('2026-03-04T05:06:07Z');

class Session {
  readonly recorder = createRecorder({ HOME: '/home/ann', USER: 'annabel' });
  #id = 0;

  say(from: Side, message: unknown): void {
    this.recorder.hear(from, message, at);
  }

  ask(method: string, params: JsonObject = {}): number {
    this.#id += 1;
    this.say('client', { jsonrpc: '2.0', id: this.#id, method, params });
    return this.#id;
  }

  answer(id: number, result: JsonValue): void {
    this.say('server', { jsonrpc: '2.0', id, result });
  }

  call(name: string, args: JsonObject, result: JsonValue): void {
    this.answer(this.ask('tools/call', { name, arguments: args }), result);
  }

  suite(environment: NodeJS.ProcessEnv = {}): RecordedSuite {
    const made = recordedSuite(this.recorder.heard(), { server: { command: 'node' }, environment, file: 'suite.yaml' });
    expect(suiteSchema.safeParse(made.suite).error).toBeUndefined();
    return made;
  }
}

const says = (text: string) => ({ content: [{ type: 'text', text }] });
const gives = (data: JsonObject) => ({ ...says(JSON.stringify(data)), structuredContent: data });

describe('a recorded suite', () => {
  it('leaves out what it could not say', () => {
    const session = new Session();
    session.call('odd', JSON.parse('{ "__proto__": 1 }'), says('x'));
    session.call('fine', { text: '"__proto__":' }, says('x'));
    const { suite, leftOut } = session.suite();
    expect(suite.cases).toMatchObject([{ tool: 'fine' }]);
    expect(leftOut).toMatchObject([{ name: 'odd', reason: expect.stringContaining('__proto__') }]);
  });

  it('has a case for each call, with what came of it', () => {
    const session = new Session();
    const first = session.ask('initialize', { protocolVersion: '2025-11-25' });
    session.answer(first, {
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'notes', version: '2' },
      capabilities: { tools: {}, logging: {}, experimental: {} },
    });
    session.say('client', { jsonrpc: '2.0', method: 'notifications/initialized' });
    session.answer(session.ask('tools/list'), { tools: [{ name: 'echo' }, { name: "it's" }] });
    session.call('echo', { message: 'hi' }, says('hi'));
    session.call('echo', { message: 'hi' }, says('x'.repeat(201)));
    session.call('add', { a: 1, b: 2 }, gives({ sum: 3 }));
    session.call('fails', {}, { ...says('no'), isError: true });
    session.say('server', {
      jsonrpc: '2.0',
      id: session.ask('tools/call', { name: 'none' }),
      error: { code: -32602, message: 'x' },
    });
    session.answer(session.ask('resources/read', { uri: 'a://b' }), { contents: [{ uri: 'a://b', text: 'inside' }] });
    session.answer(session.ask('prompts/get', { name: 'greet', arguments: { who: 'ann' } }), {
      messages: [{ role: 'user', content: { type: 'text', text: 'hello ann' } }],
    });
    session.answer(session.ask('completion/complete', { ref: { type: 'ref/prompt' }, _meta: { progressToken: 1 } }), {
      completion: { values: [] },
    });
    const { suite } = session.suite();
    expect(suite).toMatchObject({
      version: 1,
      name: 'notes',
      server: { command: 'node' },
      capabilities: ['tools', 'logging'],
    });
    expect(suite.cases).toEqual([
      { name: 'lists tools', list: 'tools', expect: { fields: { "$.tools[?@.name=='echo']": { exists: true } } } },
      {
        name: 'echo with message=hi',
        tool: 'echo',
        arguments: { message: 'hi' },
        expect: { text: 'hi', content: ['text'] },
      },
      { name: 'echo with message=hi (2)', tool: 'echo', arguments: { message: 'hi' }, expect: { content: ['text'] } },
      {
        name: 'add with a=1, b=2',
        tool: 'add',
        arguments: { a: 1, b: 2 },
        expect: { data: { '$.sum': 3 }, content: ['text'] },
      },
      { name: 'fails', tool: 'fails', expect: { error: true, text: 'no', content: ['text'] } },
      { name: 'none', tool: 'none', expect: { error: { code: -32602 } } },
      { name: 'resource a://b', resource: 'a://b', expect: { text: 'inside' } },
      {
        name: 'prompt greet with who=ann',
        prompt: 'greet',
        arguments: { who: 'ann' },
        expect: { text: 'hello ann', content: ['text'] },
      },
      { name: 'completion/complete', request: 'completion/complete', params: { ref: { type: 'ref/prompt' } } },
    ]);
  });

  it('takes values of one answer into later input, and expects of neither that it is the same again', () => {
    const session = new Session();
    session.call('create', { title: 'shopping' }, gives({ id: 'note-81f3', title: 'shopping' }));
    session.call('read', { id: 'note-81f3' }, says('note-81f3 is shopping'));
    session.answer(session.ask('resources/read', { uri: 'note://note-81f3/text' }), { contents: [] });
    session.call('echo', { message: 'shopping' }, says('shopping'));
    expect(session.suite().suite.cases).toEqual([
      {
        name: 'create with title=shopping',
        tool: 'create',
        arguments: { title: 'shopping' },
        expect: { data: { '$.id': { type: 'string' }, '$.title': 'shopping' }, content: ['text'] },
        capture: { create_id: { data: '$.id' } },
      },
      {
        name: 'read',
        tool: 'read',
        arguments: { id: '{{ create_id }}' },
        expect: { text: '{{ create_id }} is shopping', content: ['text'] },
        depends_on: ['create with title=shopping'],
      },
      {
        name: 'resource',
        resource: 'note://{{ create_id }}/text',
        depends_on: ['create with title=shopping'],
      },
      {
        name: 'echo with message=shopping',
        tool: 'echo',
        arguments: { message: 'shopping' },
        expect: { text: 'shopping', content: ['text'] },
      },
    ]);
  });

  it('takes values out of plain text, by the words in front of them, and numbers with their type', () => {
    const session = new Session();
    session.call('create', {}, says('Made 2 of them.\nThe new one is 8f3a-99 (open).'));
    session.call('close', { which: '8f3a-99' }, gives({ ticket: 4_711_000 }));
    session.call('look', { ticket: 4_711_000 }, says('closed'));
    const [create, close, look] = session.suite().suite.cases ?? [];
    expect(create).toMatchObject({ capture: { create_value: { text: 'The new one is ([\\w-]+)' } } });
    expect(create?.expect).toEqual({ content: ['text'] });
    expect(close).toMatchObject({
      arguments: { which: '{{ create_value }}' },
      capture: { close_ticket: { data: '$.ticket' } },
    });
    expect(look).toMatchObject({ arguments: { ticket: '{{ close_ticket }}' } });
  });

  it('takes nothing that the client had said before the answer', () => {
    const session = new Session();
    session.call('echo', { message: 'order-4711' }, gives({ message: 'order-4711' }));
    session.call('echo', { message: 'order-4711' }, gives({ message: 'order-4711' }));
    for (const each of session.suite().suite.cases ?? []) expect(each.capture).toBeUndefined();
  });

  it('takes nothing from an answer that came after the request', () => {
    const session = new Session();
    const first = session.ask('tools/call', { name: 'create', arguments: {} });
    const second = session.ask('tools/call', { name: 'read', arguments: { id: 'note-81f3' } });
    session.answer(second, says('none'));
    session.answer(first, gives({ id: 'note-81f3' }));
    expect(session.suite().suite.cases?.map(({ name, capture }) => [name, capture])).toEqual([
      ['create', undefined],
      ['read with id=note-81f3', undefined],
    ]);
  });

  it('says what it left out: cancelled and unanswered requests, tasks, and calls that ask the user', () => {
    const session = new Session();
    const cancelled = session.ask('tools/call', { name: 'slow' });
    session.say('client', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: cancelled } });
    session.answer(cancelled, says('too late'));
    const asking = session.ask('tools/call', { name: 'book' });
    session.say('server', { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: {} });
    session.say('client', { jsonrpc: '2.0', id: 1, result: { action: 'accept' } });
    session.answer(asking, says('booked'));
    session.answer(session.ask('tools/call', { name: 'render', task: {} }), { task: { taskId: '1' } });
    session.call('newer', {}, { resultType: 'input_required', inputRequests: {} });
    session.call('vast', { text: 'x'.repeat(70_000) }, says('ok'));
    session.call('odd', {}, 'no result');
    session.ask('tools/call', { name: 'silent' });
    const { suite, leftOut, notes } = session.suite();
    expect(suite.cases).toBeUndefined();
    expect(leftOut).toEqual([
      { what: 'tool', name: 'slow', reason: 'it was cancelled' },
      { what: 'tool', name: 'book', reason: 'it asks the user (elicitation/create)' },
      { what: 'tool', name: 'render', reason: 'it runs as a task' },
      { what: 'tool', name: 'newer', reason: 'it asks the user' },
      { what: 'tool', name: 'vast', reason: expect.stringMatching(/^its input has 700\d\d characters/) },
      { what: 'tool', name: 'odd', reason: 'its answer had no form that MCP knows' },
      { what: 'tool', name: 'silent', reason: 'it was not answered' },
    ]);
    expect(writeSuite(suite, notes)).toContain('# - tool slow: it was cancelled\n');
  });

  it('expects progress and logs where they came', () => {
    const session = new Session();
    const id = session.ask('tools/call', { name: 'work', _meta: { progressToken: 'a' } });
    session.say('server', {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'a', progress: 1 },
    });
    session.say('server', { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    session.answer(id, says('done'));
    expect(session.suite().suite.cases?.[0]?.expect).toEqual({
      text: 'done',
      content: ['text'],
      progress: true,
      logs: true,
    });
  });

  it('expects no date or time that is near the moment of the recording', () => {
    const session = new Session();
    session.call('now', {}, says('It is 2026-03-04.'));
    session.call('then', {}, says('It was 1999-03-04.'));
    session.call('stamp', {}, gives({ at: at.getTime(), born: 946_684_800 }));
    expect(session.suite().suite.cases?.map((each) => each.expect)).toEqual([
      { content: ['text'] },
      { text: 'It was 1999-03-04.', content: ['text'] },
      { data: { '$.at': { type: 'number' }, '$.born': 946_684_800 }, content: ['text'] },
    ]);
  });

  it('expects nothing that is of this machine alone', () => {
    const session = new Session();
    session.call('where', {}, says('in /home/ann/notes'));
    session.call('who', {}, gives({ user: 'annabel', name: 'Annabel' }));
    expect(session.suite().suite.cases?.map((each) => each.expect)).toEqual([
      { content: ['text'] },
      { data: { '$.user': { type: 'string' }, '$.name': 'Annabel' }, content: ['text'] },
    ]);
  });

  it('holds no secrets: they are variables, and the file says which', () => {
    const session = new Session();
    session.call(
      'login',
      { user: 'ann', password: 'open sesame' },
      gives({ hello: 'open sesame', api_key: 'k-123456' }),
    );
    session.call('who', { text: 'open sesame' }, says('you are open sesame'));
    const { suite, notes, variables } = session.suite();
    const text = writeSuite(suite, notes);
    expect(text).not.toContain('sesame');
    expect(text).not.toContain('k-123456');
    expect(text).toContain('# Set the variable PASSWORD before it is run: a secret in the input of login.\n');
    expect(variables).toEqual([{ name: 'PASSWORD', where: 'the input of login', isSet: false }]);
    expect(suite.cases?.[1]).toMatchObject({ name: 'who', arguments: { text: `\${PASSWORD}` } });
  });

  it('writes braces and dollars of the traffic so that they stay what they are', () => {
    const session = new Session();
    session.call('echo{{x}}', { message: `{{ a }} \${B}` }, says(`{{ a }} \${B}`));
    expect(session.suite().suite.cases).toEqual([
      {
        name: expect.not.stringMatching(/[{}]/),
        tool: 'echo\\{{x}}',
        arguments: { message: `\\{{ a }} $\${B}` },
        expect: { text: `\\{{ a }} $\${B}`, content: ['text'] },
      },
    ]);
  });

  it('can be read, whatever was said', async () => {
    const odd = fc.constantFrom('{{ a }}', `\${B}`, '\\', 'note-81f3', '', '\u001b[1m', 'secret', 'x'.repeat(250));
    const text = fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 20 }));
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>);
    const args = fc.dictionary(fc.oneof(fc.constantFrom('id', 'password', 'api_key'), text), value, { maxKeys: 3 });
    const answer = fc.oneof(
      args.map((data) => gives(data)),
      text.map((said) => says(said)),
      fc.record({ content: fc.array(value) }),
    );
    const calls = fc.array(fc.tuple(fc.oneof(fc.constant('create'), text), args, answer), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(calls, async (all) => {
        const session = new Session();
        for (const [name, given, result] of all) session.call(name, given, JSON.parse(JSON.stringify(result)));
        const { suite, notes, variables } = session.suite();
        const environment = Object.fromEntries(variables.map(({ name }) => [name, 'x']));
        const read = await suiteOf(parse(writeSuite(suite, notes)), { environment, folder: '.' });
        expect(read.cases).toHaveLength(suite.cases?.length ?? 0);
      }),
      { numRuns: 60 },
    );
  });

  it('stays within bounds, whatever comes', () => {
    const session = new Session();
    for (const odd of [
      null,
      1,
      'x',
      [],
      [null],
      {},
      { id: {} },
      { id: 1, result: 1 },
      { method: 1 },
      { method: 'a', id: [] },
    ]) {
      session.say('client', odd);
      session.say('server', odd);
    }
    for (let number = 0; number < 1010; number += 1) session.call('echo', { number }, says('x'));
    const { suite, leftOut } = session.suite();
    expect(suite.cases).toHaveLength(1000);
    expect(leftOut.some(({ reason }) => reason === 'the suite has 1000 cases already')).toBe(true);
  });
});
