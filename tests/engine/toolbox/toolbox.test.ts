import { expect, it } from 'vitest';
import { createScriptToolbox, type ScriptToolboxOptions } from '../../../src/engine/toolbox/toolbox.js';
import type { Engine } from '../../../src/engine/work.js';
import { createLog } from '../../../src/log.js';
import type { Manifest } from '../../../src/manifest/manifest.js';
import { collectEvents, describeLaunchers, failureOf, fixture, folderWith, processesLeft } from '../harness.js';
import { commandTool, functionTool, manifestOf, wrapped } from './manifests.js';

const area = functionTool(
  'says_what_it_returns.py',
  'area',
  { width: { type: 'number' }, height: { type: 'number', default: 1 } },
  { ...wrapped({ type: 'number' }), title: 'Area', annotations: { readOnlyHint: true } },
);
const point = functionTool('says_what_it_returns.py', 'point', {}, { outputSchema: { type: 'object' } });
const wrong = functionTool('says_what_it_returns.py', 'wrong', {}, wrapped({ type: 'integer' }));
const nothing = functionTool('says_what_it_returns.py', 'nothing');
const onlyPrints = functionTool('says_what_it_returns.py', 'only_prints');
const fails = functionTool('says_what_it_returns.py', 'fails');
const files = functionTool('says_what_it_returns.py', 'files', { folder: { type: 'string' } });
const command = commandTool(
  'has_a_command_line.py',
  'has_a_command_line',
  {
    word: { type: 'string' },
    count: { type: 'integer' },
    fail: { type: 'integer' },
    stdin: { type: 'string' },
  },
  [
    { name: 'word', kind: 'positional' },
    { name: 'count', kind: 'option', flag: '--count' },
    { name: 'fail', kind: 'option', flag: '--fail' },
    { name: 'stdin', kind: 'stdin' },
  ],
);
const tools = [area, point, wrong, nothing, onlyPrints, fails, files, command];

describeLaunchers('A toolbox of scripts', (makeEngine) => {
  const make = (manifest: Manifest = manifestOf(tools), options: Partial<ScriptToolboxOptions> = {}) =>
    createScriptToolbox({ manifest, engine: async () => makeEngine({ idleChildren: 1 }), ...options });

  it('lists the enabled tools with their schemas as they are, and starts nothing for that', async () => {
    let made = 0;
    const manifest = manifestOf([area, { ...point, enabled: false }]);
    const engine = async () => {
      made++;
      return makeEngine();
    };
    const toolbox = make(manifest, { engine });
    const { name, title, annotations, inputSchema, outputSchema } = area;
    expect(await toolbox.listTools()).toEqual([{ name, title, annotations, inputSchema, outputSchema }]);
    await toolbox.close();
    expect([made, processesLeft()]).toEqual([0, []]);
  });

  it('gives a value as text, as data and beside what was printed', async () => {
    const { content, structuredContent, isError, output, figures } = await make().call('area', { width: 2, height: 4 });
    expect(content).toEqual([
      { type: 'text', text: '8' },
      { type: 'text', text: 'Printed to stdout:\nmultiplying' },
    ]);
    expect([structuredContent, isError]).toEqual([{ result: 8 }, undefined]);
    expect(output).toEqual({ stdout: 'multiplying\n', stderr: '' });
    expect(figures?.wallMs).toBeGreaterThan(0);
  });

  it('gives an object as it is where the tool says that it returns one', async () => {
    const { content, structuredContent } = await make().call('point', {});
    expect([content, structuredContent]).toEqual([[{ type: 'text', text: '{\n  "x": 1\n}' }], { x: 1 }]);
  });

  it('gives what was printed where nothing was returned, and null where nothing was either', async () => {
    const toolbox = make();
    expect((await toolbox.call('only_prints', {})).content).toEqual([{ type: 'text', text: 'said\n' }]);
    expect(await toolbox.call('nothing', {})).toMatchObject({ content: [{ type: 'text', text: 'null' }] });
    expect((await toolbox.call('nothing', {})).structuredContent).toBeUndefined();
  });

  it('gives files as text where they are text, else as bytes, under addresses of their own', async () => {
    const { content } = await make().call('files', { folder: folderWith({}) });
    const base = 'mcp-exec://files';
    expect(content.slice(1)).toEqual([
      { type: 'resource', resource: { uri: `${base}/a%20b.csv`, mimeType: 'text/csv', text: 'x,y\n' } },
      { type: 'resource', resource: { uri: `${base}/drawing.svg`, mimeType: 'image/svg+xml', text: '<svg/>' } },
      { type: 'resource', resource: { uri: `${base}/data.bin`, mimeType: 'application/octet-stream', blob: 'AP8=' } },
      { type: 'resource', resource: { uri: `${base}/bad.txt`, mimeType: 'text/plain', blob: '/w==' } },
    ]);
  });

  it('shows a value that does not fit what the tool says, and how', async () => {
    const { content, structuredContent, isError, output, figures } = await make().call('wrong', {});
    const [block] = content;
    const text = block?.type === 'text' ? block.text : '';
    expect(text).toMatch(/^RESULT_MISMATCH: The returned value does not fit/);
    expect(text).toContain('"threethree');
    expect(text.length).toBeLessThan(6000);
    expect([isError, structuredContent, output?.stdout]).toEqual([true, undefined, 'before it went wrong\n']);
    expect(figures).toBeDefined();
  });

  it('shows the whole failure of a script as a result, and logs it whole', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'info', write: (line) => void lines.push(line) });
    const { content, isError, output, figures } = await make(undefined, { log }).call('fails', {});
    const text = content[0]?.type === 'text' ? content[0].text : '';
    expect(text).toMatch(/^EXCEPTION: ValueError: no\n\nTraceback/);
    expect(text).toContain('in fails');
    expect(text).toContain('Printed to stdout:\nalmost');
    expect([isError, output]).toEqual([true, { stdout: 'almost\n', stderr: '' }]);
    expect(figures?.python).toMatch(/^3\./);
    const entries = lines.map((line) => JSON.parse(line));
    expect(entries).toMatchObject([
      { layer: 'host', event: 'call', tool: 'fails', outcome: 'EXCEPTION' },
      { layer: 'script', event: 'call failed', tool: 'fails', stdout: 'almost\n', traceback: expect.any(String) },
    ]);
  });

  it('refuses wrong arguments as a result that a model can act on, before any process is made', async () => {
    const toolbox = make(undefined, { engine: () => Promise.reject(new Error('not to be asked')) });
    const { content, isError } = await toolbox.call('area', { width: 'wide' });
    expect(isError).toBe(true);
    expect(content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/^INVALID_ARGUMENTS: .*width/) });
  });

  it('refuses a tool that is not there with the name that was probably meant', async () => {
    const toolbox = make(manifestOf([area, { ...point, enabled: false, why: 'it was left out' }]));
    const unknown = await failureOf(toolbox.call('are', {}));
    expect([unknown.code, unknown.message]).toEqual([
      'UNKNOWN_TOOL',
      'There is no tool "are" (did you mean area?); there are area',
    ]);
    expect((await failureOf(toolbox.call('point', {}))).message).toBe('Tool point is not enabled: it was left out');
    expect((await failureOf(toolbox.run('__proto__', {}))).code).toBe('UNKNOWN_TOOL');
  });

  it('runs a command line with its words and its standard input', async () => {
    const toolbox = make();
    const said = await toolbox.call('has_a_command_line', { word: 'a b; c', count: '2', stdin: 'ä' });
    expect(said.content).toEqual([{ type: 'text', text: 'a b; c\na b; c\nread ä\n' }]);
  });

  it('shows the exit code and the output of a command line that failed, and no trace of how it exited', async () => {
    const { content, isError, output } = await make().call('has_a_command_line', { word: 'x', fail: 3 });
    const text = content[0]?.type === 'text' ? content[0].text : '';
    expect(text).toMatch(/^PROCESS_FAILED: The script exited with code 3\n/);
    expect(text).toContain('Printed to stdout:\nx');
    expect(text).toContain('Printed to stderr:\nabout to fail');
    expect(text).not.toContain('Traceback');
    expect([isError, output?.stderr]).toEqual([true, 'about to fail\n']);
  });

  it('passes events, the signal and the session on', async () => {
    const toolbox = make(manifestOf([functionTool('counts_in_globals.py', 'add')]), {
      engine: async () => makeEngine({ isolation: 'session' }),
    });
    const value = async (session?: string) => (await toolbox.call('add', {}, { session })).structuredContent?.count;
    expect([await value('a'), await value('a'), await value('b'), await value(), await value()]).toEqual([
      1, 2, 1, 1, 2,
    ]);
    const { events, onEvent } = collectEvents();
    await make().run('area', { width: 1 }, { onEvent });
    expect(events).toEqual([{ type: 'output', stream: 'stdout', line: 'multiplying' }]);
    const cancelled = await make().call('area', { width: 1 }, { signal: AbortSignal.abort() });
    expect(cancelled.content[0]).toMatchObject({ text: expect.stringMatching(/^CANCELLED/) });
  });

  it('imports a script with effects in each call, and never ahead', async () => {
    const engine = makeEngine();
    const tool = functionTool('prints_at_import.py', 'speak');
    const toolbox = make(manifestOf([tool], { importEffects: ['it prints'] }), { engine: async () => engine });
    await toolbox.warm();
    await toolbox.probe();
    expect(engine.status().scripts.map(({ script }) => script)).toEqual(['']);
    expect((await toolbox.call('speak', {})).output?.stdout).toMatch(/[\s\S]+in the call\n$/);
  });

  it('finishes calls on the tools that they began with when those are replaced', async () => {
    const waits = functionTool('prints_then_hangs.py', 'hang');
    const toolbox = make(manifestOf([area]));
    const { onEvent, next } = collectEvents();
    toolbox.replace(manifestOf([waits, point]));
    const controller = new AbortController();
    const call = toolbox.call('hang', {}, { onEvent, signal: controller.signal });
    await next(({ type }) => type === 'output');
    toolbox.replace(manifestOf([area]));
    expect((await toolbox.listTools()).map(({ name }) => name)).toEqual(['area']);
    expect((await failureOf(toolbox.call('hang', {}))).code).toBe('UNKNOWN_TOOL');
    expect((await toolbox.call('area', { width: 3 })).structuredContent).toEqual({ result: 3 });
    controller.abort();
    expect((await call).content[0]).toMatchObject({ text: expect.stringMatching(/^CANCELLED/) });
  });

  it('warms every script that may be imported, and logs what cannot', async () => {
    const engine = makeEngine({ idleChildren: 1 });
    const lines: string[] = [];
    const log = createLog({ level: 'warn', write: (line) => void lines.push(line) });
    const broken = functionTool('raises_at_import.py', 'f');
    const toolbox = make(manifestOf([area, command, broken]), { engine: async () => engine, log });
    await toolbox.warm();
    const ready = engine.status().scripts.filter(({ idle }) => idle > 0);
    expect(ready.map(({ script }) => script.split('/').at(-1)).sort()).toEqual(['', 'says_what_it_returns.py']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'not made ready ahead', script: fixture('raises_at_import.py'), code: 'EXCEPTION' },
    ]);
    expect((await failureOf(toolbox.probe())).code).toBe('EXCEPTION');
    toolbox.replace(manifestOf([area, command]));
    await toolbox.probe();
  });

  it('asks for the interpreter of a script once, and again after that failed', async () => {
    const asked: string[] = [];
    const pythonFor = async ({ path }: { path: string }) => {
      asked.push(path);
      if (asked.length === 1) throw new Error('not yet');
      return undefined;
    };
    const toolbox = make(manifestOf([area]), { pythonFor });
    await expect(toolbox.call('area', { width: 1 })).rejects.toThrow('not yet');
    await toolbox.call('area', { width: 1 });
    await toolbox.call('area', { width: 1 });
    expect(asked.length).toBe(2);
  });

  it('ends what waits for an interpreter when it is closed, and asks for none after that', async () => {
    const asked: string[] = [];
    const toolbox = make(manifestOf([area, command]), {
      pythonFor: ({ path }) => {
        asked.push(path);
        return new Promise(() => {});
      },
    });
    const call = toolbox.call('area', { width: 1 });
    const warming = toolbox.warm();
    const controller = new AbortController();
    const cancelled = toolbox.call('area', { width: 1 }, { signal: controller.signal });
    controller.abort();
    expect((await cancelled).content[0]).toMatchObject({ text: expect.stringMatching(/^CANCELLED/) });
    await toolbox.close();
    expect((await failureOf(call)).code).toBe('CLOSED');
    await warming;
    const before = asked.length;
    expect((await failureOf(toolbox.run('area', { width: 1 }))).code).toBe('CLOSED');
    expect(asked.length).toBe(before);
  });

  it('closes the engine that it was given, also one that is being made, and takes no calls after that', async () => {
    const engine = makeEngine();
    let give: (engine: Engine) => void = () => {};
    let toolbox = make();
    const warming = await new Promise<{ end: Promise<void> }>((asked) => {
      const ask = () =>
        new Promise<Engine>((resolve) => {
          give = resolve;
          asked({ end });
        });
      toolbox = make(undefined, { engine: ask });
      const end = toolbox.warm();
    });
    const closing = toolbox.close();
    give(engine);
    await Promise.all([closing, warming.end]);
    expect(processesLeft()).toEqual([]);
    expect((await failureOf(toolbox.call('area', { width: 1 }))).code).toBe('CLOSED');
    expect((await failureOf(engine.run({ source: 'pass' }))).code).toBe('CLOSED');
  });
});
