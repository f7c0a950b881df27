import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PythonEngine, type PythonScript } from '../../src/engine/python-engine.js';
import { collectEvents, failureOf, folderWith, launchers, processesLeft } from './harness.js';

const cacheDir = folderWith({});

describe.each(launchers)('A precompiled script (%s)', (launcher) => {
  let engine: PythonEngine;
  beforeAll(() => {
    engine = new PythonEngine({ launcher, cacheDir });
  });
  afterAll(async () => {
    await engine.close();
    expect(processesLeft()).toEqual([]);
  });

  it('runs as often as one likes, each time with its own context', async () => {
    const script = await engine.precompileScript('result(context["request"] * 2)');
    const runs = [1, 2, 3].map((request) => engine.executePrecompiled(script, { request }));
    expect((await Promise.all(runs)).map(({ value }) => value)).toEqual([2, 4, 6]);
  });

  it('calls the function that was named with the context, and gives what it returns', async () => {
    const script = await engine.precompileScript('def check(given):\n    return given["request"] + 1', 'check');
    expect(script.functionName).toBe('check');
    expect((await engine.executePrecompiled(script, { request: 1 })).value).toBe(2);
  });

  it.each([
    ['without parameters', 'def check():\n    return context["request"]'],
    ['async', 'async def check(given):\n    return given["request"]'],
    ['with a default', 'def check(given=None):\n    return given["request"]'],
    ['a class', 'class check(dict):\n    def __init__(self, given):\n        super().__init__(given["request"])'],
  ])('calls a function %s', async (_name, source) => {
    const script = await engine.precompileScript(source, 'check');
    expect((await engine.executePrecompiled(script, { request: { a: 1 } })).value).toEqual({ a: 1 });
  });

  it('tells each value that its function yields', async () => {
    const { events, onEvent } = collectEvents();
    const script = await engine.precompileScript('def check(given):\n    yield 1\n    yield 2', 'check');
    expect((await engine.executePrecompiled(script, {}, { onEvent })).value).toEqual([1, 2]);
    expect(events.filter(({ type }) => type === 'value')).toHaveLength(2);
  });

  it('names the functions there are where the named one is missing', async () => {
    const source = 'from os.path import join\ndef check(given):\n    pass\ndef verify(given):\n    pass';
    for (const missing of ['chek', 'log', 'context', 'join.x']) {
      const error = await failureOf(engine.executePrecompiled(await engine.precompileScript(source, missing)));
      expect(error.code).toBe('UNKNOWN_TOOL');
      expect(error.message).toBe(`There is no function '${missing}'; there are check, verify`);
    }
  });

  it('is refused with its syntax error when it is compiled', async () => {
    const error = await failureOf(engine.precompileScript('x = 1\nif x\n    pass'));
    expect(error.code).toBe('SYNTAX_ERROR');
    expect(error.message).toBe("expected ':'");
    expect(error.details).toMatchObject({ line: 2, column: 5, text: 'if x', file: '<script>' });
  });

  it('quotes its lines in a traceback', async () => {
    const script = await engine.precompileScript('def check(given):\n    return 1 / 0  # here', 'check');
    const error = await failureOf(engine.executePrecompiled(script));
    expect(error.details).toMatchObject({ type: 'ZeroDivisionError', line: 2, text: 'return 1 / 0  # here' });
  });

  it('is compiled again by an interpreter other than its own', async () => {
    const foreign: PythonScript = {
      source: 'result("compiled here")',
      code: Buffer.from('not of this Python').toString('base64'),
      interpreter: 'cpython-27-62211',
      fromCache: false,
    };
    expect((await engine.executePrecompiled(foreign)).value).toBe('compiled here');
  });

  it.each(['not base64!', Buffer.from('not compiled code').toString('base64'), Buffer.from('N').toString('base64')])(
    'runs from its source where its code was damaged to %j',
    async (code) => {
      const script = await engine.precompileScript('result("from source")');
      expect((await engine.executePrecompiled({ ...script, code })).value).toBe('from source');
    },
  );

  it('keeps nothing of one run for the next', async () => {
    const script = await engine.precompileScript(
      'seen = globals().setdefault("seen", [])\nseen.append(1)\nresult(seen)',
    );
    expect((await engine.executePrecompiled(script)).value).toEqual([1]);
    expect((await engine.executePrecompiled(script)).value).toEqual([1]);
  });
});

describe('The cache of precompiled scripts', () => {
  const engines: PythonEngine[] = [];
  const createEngine = (cacheDir: string): PythonEngine => {
    const engine = new PythonEngine({ cacheDir });
    engines.push(engine);
    return engine;
  };
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
    expect(processesLeft()).toEqual([]);
  });

  it('outlives the engine', async () => {
    const cacheDir = folderWith({});
    const first = await createEngine(cacheDir).precompileScript('result("cached")');
    const engine = createEngine(cacheDir);
    const second = await engine.precompileScript('result("cached")', 'unused');
    expect(first.fromCache).toBe(false);
    expect(second).toEqual({ ...first, functionName: 'unused', fromCache: true });
    expect((await engine.precompileScript('result("another")')).fromCache).toBe(false);
    expect((await engine.executePrecompiled({ ...second, functionName: undefined })).value).toBe('cached');
  });

  it('has nothing for an interpreter that leaves assertions out where another keeps them', async () => {
    const cacheDir = folderWith({});
    const source = 'assert False, "asserted"';
    vi.stubEnv('PYTHONOPTIMIZE', '1');
    const without = createEngine(cacheDir);
    expect((await without.executePrecompiled(await without.precompileScript(source))).value).toBeNull();
    vi.unstubAllEnvs();
    const engine = createEngine(cacheDir);
    expect((await failureOf(engine.executePrecompiled(await engine.precompileScript(source)))).message).toBe(
      'asserted',
    );
  });

  it('is passed over where a file in it is damaged', async () => {
    const cacheDir = folderWith({});
    const compiled = join(cacheDir, 'compiled');
    const first = await createEngine(cacheDir).precompileScript('result("whole")');
    const [name = ''] = readdirSync(compiled);
    for (const damage of [Buffer.alloc(0), Buffer.from('short'), readFileSync(join(compiled, name)).fill(0, 40)]) {
      writeFileSync(join(compiled, name), damage);
      const engine = createEngine(cacheDir);
      const again = await engine.precompileScript('result("whole")');
      expect(again).toEqual(first);
      expect((await engine.executePrecompiled(again)).value).toBe('whole');
    }
    expect((await createEngine(cacheDir).precompileScript('result("whole")')).fromCache).toBe(true);
  });

  it('is passed over where it cannot be read or written', async () => {
    const engine = createEngine(folderWith({ compiled: 'a file where the folder should be' }));
    for (const attempt of [1, 2]) {
      const script = await engine.precompileScript('result("not cached")');
      expect(script.fromCache, `attempt ${attempt}`).toBe(false);
      expect((await engine.executePrecompiled(script)).value).toBe('not cached');
    }
  });

  it('is refused by its setting where its folder cannot be made', async () => {
    const engine = createEngine(join(folderWith({ file: '' }), 'file', 'cache'));
    const error = await failureOf(engine.precompileScript('result(1)'));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', details: { setting: 'cacheDir' } });
  });
});
