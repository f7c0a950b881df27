import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openSession } from '../../../src/client/session/session.js';
import { type Draft, draftSuite } from '../../../src/harness/init/init.js';
import { writeSuite } from '../../../src/harness/record/writer.js';
import { suiteOf } from '../../../src/harness/suite/read.js';
import type { SuiteInput } from '../../../src/harness/suite/schema.js';
import type { Outcome } from '../../../src/testedserver.js';
import type { JsonObject, Tool } from '../../../src/toolbox.js';
import { folderWith } from '../../engine/harness.js';
import {
  type FakeScript,
  FakeServer,
  fails,
  fakeOpen,
  fakeOpenEach,
  fakeTool,
  result,
  rpcError,
  says,
} from '../fakes.js';
import { runFake } from '../run/harness.js';

const readOnly = { annotations: { readOnlyHint: true } };
const server = { command: 'node', args: ['server.mjs'] };
const options = { server, environment: {}, timeoutMs: 1000 };

function readingTool(name: string, properties: JsonObject = {}, more: Partial<Tool> = {}): Tool {
  return fakeTool(name, properties, { ...readOnly, ...more });
}

async function draftOf(script: FakeScript): Promise<{ draft: Draft; text: string; called: readonly unknown[] }> {
  const open = fakeOpen(script);
  const first = await open();
  const draft = await draftSuite(first, { ...options, open });
  const [, ...others] = open.servers;
  expect(others.every(({ isOver }) => isOver)).toBe(true);
  await first.close();
  const requests = open.servers.flatMap((each) => each.requests);
  const called = requests.filter(({ method }) => method === 'tools/call').map(({ params }) => params.name);
  return { draft, text: writeSuite(draft.suite, draft.notes), called };
}

function caseOf(draft: Draft, tool: string) {
  return draft.suite.cases?.find((each) => each.tool === tool);
}

function reasonOf(draft: Draft, name: string): string | undefined {
  return draft.leftOut.find((each) => each.name === name)?.reason;
}

describe('a first suite', () => {
  it('leaves out what it could not say', async () => {
    const odd = readingTool('odd', JSON.parse('{ "__proto__": { "type": "string" } }'));
    const { draft, text } = await draftOf({ tools: [odd, readingTool('fine')] });
    expect(draft.leftOut).toContainEqual(
      expect.objectContaining({ name: 'odd', reason: expect.stringContaining('__proto__') }),
    );
    await expect(suiteOf(parse(text), { environment: {}, folder: '.' })).resolves.toBeDefined();
  });

  it('of a real server is green when it is run, and says what it left out', async () => {
    const file = join(import.meta.dirname, '../servers/well_behaved.mjs');
    const command = { command: process.execPath, args: [file] };
    const open = () => openSession({ kind: 'command', ...command });
    const first = await open();
    const draft = await draftSuite(first, { ...options, server: command, timeoutMs: 10_000, open });
    await first.close();
    const { version: _version, server: _server, ...suite }: SuiteInput = parse(writeSuite(draft.suite, draft.notes));
    const { report } = await runFake(suite, open);
    expect(report.totals).toMatchObject({ failed: 0, skipped: 3 });
    expect(report.totals.passed).toBeGreaterThan(15);
    expect(draft.leftOut.map(({ name }) => name)).toEqual(['fails', 'counts', 'remove']);
    expect(draft.suite.checks).toEqual({
      schemas: true,
      unknown: true,
      arguments: { tools: ['echo', 'add', 'slow', 'progress'] },
    });
  });

  it('has paths that start from its own folder, wherever it is drafted', async () => {
    const folder = folderWith({});
    mkdirSync(join(folder, 'below'));
    const server = { command: 'node', cwd: 'below' };
    const opened = new FakeServer({ tools: [readingTool('reads')] });
    const draft = await draftSuite(opened, { ...options, server, file: join(folder, 'suite.yaml') });
    expect(draft.suite.server).toEqual(server);
    expect(draft.suite.checks).toMatchObject({ schemas: true });
  });

  it('calls nothing that does not say that it is harmless', async () => {
    const { draft, text, called } = await draftOf({
      tools: [
        fakeTool('silent', { text: { type: 'string' } }),
        fakeTool('destroys', {}, { annotations: { destructiveHint: true } }),
        fakeTool('writes', {}, { annotations: { readOnlyHint: false } }),
        readingTool('task', {}, { execution: { taskSupport: 'required' } } as Partial<Tool>),
        readingTool('reads'),
        fakeTool('adds', {}, { annotations: { destructiveHint: false } }),
      ],
    });
    const known = called.filter((name) => name !== 'no_such_tool');
    expect(new Set(known)).toEqual(new Set(['reads', 'adds']));
    expect(draft.leftOut).toEqual([
      { what: 'tool', name: 'task', reason: 'it runs only as a task' },
      { what: 'tool', name: 'silent', reason: 'it does not say that it only reads (readOnlyHint)' },
      { what: 'tool', name: 'destroys', reason: 'it says that it may destroy something (destructiveHint)' },
      { what: 'tool', name: 'writes', reason: 'it does not say that it only reads (readOnlyHint)' },
    ]);
    expect(text).toContain('# - tool destroys: it says that it may destroy something (destructiveHint)\n');
    expect(text).toContain(`  - name: silent with text=example
    skip: it does not say that it only reads (readOnlyHint)
    tool: silent
    arguments:
      text: example
`);
    expect(draft.suite.cases?.filter(({ skip }) => skip !== undefined).map(({ tool }) => tool)).toEqual([
      'silent',
      'destroys',
      'writes',
    ]);
    expect(text).not.toContain('tool: task');
    expect(draft.writing).toEqual(['adds']);
    expect(text).toContain('# Called, though they may add something: adds.\n');
    expect(text).toContain('  # It says that it destroys nothing, but not that it only reads.\n  - name: adds\n');
  });

  it('calls tools that a person names, but none that says that it destroys', async () => {
    const open = fakeOpen({
      tools: [
        fakeTool('silent'),
        fakeTool('other'),
        fakeTool('far', {}, { annotations: { destructiveHint: false, openWorldHint: true } }),
        fakeTool('destroys', {}, { annotations: { destructiveHint: true } }),
      ],
      call: (name) => says(`${name} was here`),
    });
    const draft = await draftSuite(await open(), { ...options, open, mayCall: ['silent', 'far', 'destroys'] });
    const called = open.servers.flatMap(({ requests }) => requests.map(({ params }) => params.name));
    expect(called).toEqual(expect.arrayContaining(['silent', 'far']));
    expect(called).not.toEqual(expect.arrayContaining(['other']));
    expect(called).not.toEqual(expect.arrayContaining(['destroys']));
    expect(caseOf(draft, 'silent')?.expect).toMatchObject({ text: 'silent was here' });
    expect(caseOf(draft, 'destroys')?.skip).toBe('it says that it may destroy something (destructiveHint)');
    expect(draft.writing).toEqual(['silent', 'far']);
    expect(writeSuite(draft.suite, draft.notes)).toContain(
      '# It was called because a person named it: it does not say that it only reads (readOnlyHint).\n  - name: silent\n',
    );
    const wrong = draftSuite(await open(), { ...options, open, mayCall: ['silnt'] });
    await expect(wrong).rejects.toThrow('--call: the server has no tool silnt; did you mean silent?');
  });

  it('skips what is left out for a reason that looks like a variable', async () => {
    const refusal = 'set \u0024{TOKEN} and {{ name }} first';
    const { draft, text } = await draftOf({ tools: [readingTool('picky')], call: () => fails(refusal) });
    const suite = await suiteOf(parse(text), { environment: {}, folder: '.' });
    expect(suite.cases.at(-1)?.spec.skip).toBe(`it was refused without arguments: ${refusal}`);
    expect(caseOf(draft, 'picky')?.skip).toContain('$' + '\u0024{TOKEN}');
  });

  it('expects what two servers answered alike, and nothing else', async () => {
    let calls = 0;
    const count = () => {
      calls += 1;
      return calls;
    };
    const answers: Record<string, () => Outcome> = {
      stable: () => says('always this'),
      varying: () => says(`this is call ${count()}`),
      structured: () => result({ content: [], structuredContent: { kind: 'a', id: String(count()), list: [1, 2] } }),
      long: () => says(`The first line of many.\n${'x'.repeat(300)}${count()}`),
      changing: () => result({ content: count() < 5 ? [{ type: 'text', text: 'x' }] : [] }),
      clock: () => says(`It is ${new Date().toISOString()}`),
    };
    const { draft } = await draftOf({
      tools: Object.keys(answers).map((name) => readingTool(name)),
      call: (name) => answers[name]?.() ?? rpcError(-32602, 'unknown'),
    });
    expect(Object.keys(answers).map((name) => caseOf(draft, name)?.expect)).toEqual([
      { text: 'always this', content: ['text'] },
      { content: ['text'] },
      {
        data: { '$.kind': 'a', '$.id': { type: 'string' }, '$.list': { type: 'array', length: 2 } },
        content: [],
      },
      { text: { contains: 'The first line of many.' }, content: ['text'] },
      undefined,
      { content: ['text'] },
    ]);
  });

  it('leaves out what refuses its example arguments, asks the user, hangs, or answers differently the second time', async () => {
    const open = fakeOpenEach((number) => ({
      tools: ['refuses', 'fails', 'newer', 'once', 'works'].map((name) => readingTool(name, { a: { type: 'string' } })),
      call(name) {
        if (name === 'refuses') return rpcError(-32602, 'no such\n\u001b[31m a');
        if (name === 'fails' || (name === 'once' && number > 0)) return fails('it is closed');
        return name === 'newer' ? result({ resultType: 'input_required' }) : says('fine');
      },
    }));
    const draft = await draftSuite(await open(), { ...options, open });
    expect(reasonOf(draft, 'refuses')).toBe('the example arguments were refused: no such [31m a');
    expect(reasonOf(draft, 'fails')).toBe('the example arguments were refused: it is closed');
    expect(reasonOf(draft, 'newer')).toBe('it asks the user');
    expect(reasonOf(draft, 'once')).toBe(
      'it was answered once, and then the example arguments were refused: it is closed',
    );
    const skipped = ['refuses', 'fails', 'newer', 'once'];
    expect(draft.suite.cases?.map(({ tool, list }) => tool ?? list)).toEqual(['tools', 'works', ...skipped]);
    expect(skipped.map((name) => caseOf(draft, name)?.skip)).toEqual(skipped.map((name) => reasonOf(draft, name)));
  });

  it('leaves out a tool that ends the server, and goes on with another', async () => {
    const open = fakeOpen({
      tools: [readingTool('dies'), readingTool('lives')],
      call(name, _args, { server: own }) {
        if (name === 'dies') own.die();
        return says('fine');
      },
    });
    const draft = await draftSuite(await open(), { ...options, open });
    expect(reasonOf(draft, 'dies')).toBe('The MCP server died with exit code 1');
    expect(caseOf(draft, 'lives')).toBeDefined();
    const alone = new FakeServer({ tools: [readingTool('dies'), readingTool('lives')], call: dies });
    const other = await draftSuite(alone, options);
    expect(reasonOf(other, 'lives')).toBe('the server had ended, and could not be started again');
  });

  it('leaves out a tool that asks the user', async () => {
    const asked: string[] = [];
    const fake = new FakeServer({
      tools: [readingTool('asks')],
      call() {
        asked.push('elicitation/create');
        return says('fine');
      },
    });
    Object.defineProperty(fake, 'asked', { value: asked });
    expect(reasonOf(await draftSuite(fake, options), 'asks')).toBe('it asks the user (elicitation/create)');
  });

  it('does not hold a tool to an outputSchema that its answers do not fit, and says so', async () => {
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    const { draft, text } = await draftOf({
      tools: [readingTool('add', {}, { outputSchema })],
      call: () => result({ content: [{ type: 'text', text: 'x' }], structuredContent: { sum: 'three' } }),
    });
    expect(caseOf(draft, 'add')?.expect).toMatchObject({ output_schema: false });
    expect(text).toContain('# Its outputSchema is not held to, as this is wrong: ');
    expect(draft.leftOut[0]).toMatchObject({ what: 'outputSchema of', name: 'add' });
  });

  it('has those checks alone that hold', async () => {
    const { draft } = await draftOf({
      tools: [readingTool('takes_all', { a: { type: 'number' } })],
      call: () => says('fine'),
    });
    expect(draft.suite.checks).toEqual({ schemas: true });
    expect(draft.leftOut.map(({ what, name }) => `${what} ${name}`)).toEqual([
      'check arguments of takes_all',
      'check unknown',
    ]);
  });

  it('bears a server that writes more than messages to standard output, and says what that was', async () => {
    const noise = ['Server running on \u001b[1mstdio', 'Server running on \u001b[1mstdio'];
    const { draft, text } = await draftOf({ tools: [readingTool('reads')], noise });
    expect(draft.suite.checks).toMatchObject({ schemas: true, stdout: false });
    expect(text).toContain(
      '# - check stdout: it does not hold: The server wrote "Server running on [1mstdio" to standard output, which is for messages alone.\n',
    );
    const { version: _version, server: _server, ...suite }: SuiteInput = parse(text);
    const { report } = await runFake(suite, fakeOpen({ tools: [readingTool('reads')], noise }));
    expect(report.totals.failed).toBe(0);
    const nothing = await draftOf({ introduction: { capabilities: {} }, noise });
    expect(nothing.draft.suite.checks).toEqual({ stdout: false });
  });

  it('names all that does not hold of a check', async () => {
    const tools = Array.from({ length: 40 }, (_, index) => readingTool(`t${index}`, {}, { description: '' }));
    const { draft, text } = await draftOf({ tools, call: () => says('fine') });
    const { more = [] } = draft.leftOut.find(({ name }) => name === 'schemas') ?? {};
    expect(more).toHaveLength(39);
    expect(text).toMatch(
      /^# - check schemas: it does not hold: t0 has an empty description .*\n# {3}t1 has an empty description/m,
    );
    expect(text).toContain('#   and 9 more\n');
  });

  it('names variables that it takes from the environment', async () => {
    const environment = { CITY: 'Lisbon' };
    const named = { ...server, env: { CITY: 'Lisbon', MODE: 'test' } };
    const fake = new FakeServer({ tools: [readingTool('city')], call: () => says('Lisbon') });
    const draft = await draftSuite(fake, { ...options, server: named, environment, taken: ['CITY'] });
    expect(draft.suite.server).toEqual({ ...server, env: { CITY: `\${CITY}`, MODE: 'test' } });
    const text = writeSuite(draft.suite, draft.notes);
    expect(text).not.toContain('Lisbon');
    expect(text).not.toContain('safe variables');
    expect((await draftOf({})).text).toContain('# The server gets a few safe variables, such as PATH and HOME;');
  });

  it('names variables in the place of secrets, and those that the environment has', async () => {
    const headers = { Authorization: 'Bearer abcdef123456', 'X-Api-Key': 'k-98765432' };
    const refuses = { tools: [readingTool('reads')], call: () => fails('who is abcdef123456?') };
    const draft = await draftSuite(new FakeServer(refuses), {
      ...options,
      server: { url: 'https://a.example/mcp', headers },
      environment: { MY_KEY: 'k-98765432' },
    });
    const text = writeSuite(draft.suite, draft.notes);
    expect(text).toContain(`Authorization: Bearer \${AUTHORIZATION}\n`);
    expect(text).toContain(`X-Api-Key: \${MY_KEY}\n`);
    expect(text).toContain('# Set the variable AUTHORIZATION before it is run: a secret in the headers.\n');
    expect(text).not.toContain('variable MY_KEY');
    expect(text).not.toContain('abcdef123456');
    expect(reasonOf(draft, 'reads')).toBe('it was refused without arguments: who is [AUTHORIZATION]?');
  });

  it('is drafted of a server that has nothing, or lists what it cannot', async () => {
    const nothing = await draftSuite(new FakeServer({ introduction: { capabilities: {}, name: ' ' } }), options);
    expect(nothing.suite).toEqual({ version: 1, server });
    const broken = await draftSuite(new FakeServer({ request: () => rpcError(-32603, 'broken') }), options);
    expect(broken.leftOut).toEqual([{ what: 'list', name: 'tools', reason: 'it was refused: broken' }]);
  });

  it('is given up when that is asked for', async () => {
    const stop = new AbortController();
    const fake = new FakeServer({
      tools: [readingTool('one'), readingTool('two')],
      call() {
        stop.abort();
        return says('fine');
      },
    });
    await expect(draftSuite(fake, { ...options, signal: stop.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

function dies(_name: string, _args: JsonObject, { server: own }: { readonly server: FakeServer }): Outcome {
  own.die();
  return says('too late');
}
