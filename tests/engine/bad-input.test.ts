import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine, ScriptRun } from '../../src/engine/work.js';
import { describeWithEngine, failureOf, fixture, folderWith, processesLeft } from './harness.js';

const folder = folderWith({
  'empty.py': '',
  'blank.py': ' \n\t\n',
  'nul.py': 'a = 1\nb = "\0"\n',
  'latin.py': Buffer.from('a = 1\nname = "caf\xe9"\n', 'latin1'),
  'utf16.py': Buffer.from('\ufeffa = 1\n', 'utf16le'),
  'declared.py': '# coding: no-such-encoding\n',
  'latin_declared.py': Buffer.from('# coding: latin-1\ndef name():\n    return "caf\xe9"\n', 'latin1'),
  'with_bom.py': '\ufeffdef name():\r\n    return "bom"\r\n',
});
const parameters = fixture('every_kind_of_parameter.py');
const kinds = fixture('every_kind_of_function.py');

describeWithEngine('Bad input', { idleChildren: 1 }, (engine, launcher) => {
  const stillServes = async () =>
    expect((await engine().call({ script: parameters, function: 'none' })).value).toBe('called');

  it.each([
    ['missing.py', 'does not exist'],
    ['.', 'is a folder, not a script'],
    ['empty.py', 'empty.py is empty'],
    ['blank.py', 'blank.py is empty'],
    ['nul.py', 'nul.py is not a text file: a NUL byte in line 2'],
    ['latin.py', 'latin.py is not UTF-8: byte 0xe9 in line 2'],
    ['utf16.py', 'utf16.py is encoded in UTF-16; save it as UTF-8'],
    ['declared.py', 'unknown encoding'],
    ['a\0b.py', 'is no path'],
    ['/dev/null', 'is not a regular file'],
    ['/proc/self/mem', 'cannot be read: Input/output error'],
    ['x'.repeat(300), 'File name too long'],
  ])('in place of a script, %j, is INVALID_SCRIPT', async (name, message) => {
    const script = name.startsWith('/') ? name : join(folder, name);
    const attempts = [
      () => engine().call({ script, function: 'f' }),
      () => engine().run({ path: script }),
      () => engine().call({ script, function: 'f', prewarm: false }),
      () => engine().warm(script),
    ];
    for (const attempt of launcher === 'fork' ? attempts : attempts.slice(0, 2)) {
      const error = await failureOf(attempt());
      expect(error.code).toBe('INVALID_SCRIPT');
      expect(error.message).toContain(message);
    }
    await stillServes();
  });

  it.each([
    ['', 'The script is empty'],
    ['  \n', 'The script is empty'],
    ['a = 1\n\0', 'a NUL byte in line 2'],
    ['a = "\ud800"', 'not Unicode text: a lone surrogate in line 1'],
  ])('in place of source text, %j, is INVALID_SCRIPT', async (source, message) => {
    const error = await failureOf(engine().run({ source }));
    expect(error).toMatchObject({ code: 'INVALID_SCRIPT', message: expect.stringContaining(message) });
    await stillServes();
  });

  it.each([
    ['latin_declared.py', 'café'],
    ['with_bom.py', 'bom'],
  ])('is not what %s is', async (name, value) => {
    expect((await engine().call({ script: join(folder, name), function: 'name' })).value).toBe(value);
  });

  it.each([
    ['a mistyped name', 'plian'],
    ['a variable', '__name__'],
    ['a method of every module', '__init__'],
    ['an import', 'functools'],
    ['a path', 'Greeter.method'],
    ['something enormous', 'x'.repeat(10_000)],
  ])('in place of a function, %s, is UNKNOWN_TOOL with the functions there are', async (_name, name) => {
    const error = await failureOf(engine().call({ script: kinds, function: name }));
    expect(error.code).toBe('UNKNOWN_TOOL');
    expect(error.message).toContain('there are plain, awaited, yielding, yielding_async, shouting, decorated');
    expect(error.message).not.toContain('_private');
    expect(error.message.length).toBeLessThan(1000);
    await stillServes();
  });

  it('in a script without functions says that there are none', async () => {
    const script = fixture('imports_only.py');
    const error = await failureOf(engine().call({ script, function: 'f' }));
    expect(error).toMatchObject({ code: 'UNKNOWN_TOOL', message: "There is no function 'f'; the script has none" });
  });

  it('as the result of a whole script is BAD_RESULT', async () => {
    const error = await failureOf(engine().run({ source: 'result(object())' }));
    expect(error.code).toBe('BAD_RESULT');
    expect(error.message).toContain('an object cannot be turned into JSON');
  });

  it.each([
    ['result = {"rows": [lambda: 1]}', 'Result $.rows[0]: a function cannot be turned into JSON'],
    ['import sys\nresult = {"rows": [sys]}\nsys.exit()', 'Result $.rows[0]: a module cannot be turned into JSON'],
  ])('in a global that is only called result, %j, is told in the log and is no failure', async (source, message) => {
    const { value, logs } = await engine().run({ source });
    expect(value).toBeNull();
    expect(logs).toEqual([{ level: 'warning', message: expect.stringContaining(message) }]);
  });
});

describe('Bad input that the host sees', () => {
  let served: Engine;
  beforeAll(() => {
    served = createEngine();
  });
  afterAll(async () => {
    await served.close();
    expect(processesLeft()).toEqual([]);
  });
  const stillServes = async () =>
    expect((await served.call({ script: parameters, function: 'none' })).value).toBe('called');

  it.each<[string, string, unknown, string, string | undefined]>([
    ['is missing', 'defaults', {}, "missing 'a'", 'a'],
    ['is unknown', 'keyword_only', { a: 1, bb: 2 }, "unknown 'bb' (did you mean 'b'?)", 'bb'],
    ['is of the wrong type', 'variadic', { first: 1, rest: [1, 'x'] }, 'expected an integer', 'rest[1]'],
    ['is not text', 'defaults', { a: 1, c: 5 }, 'expected a string, got the number 5', 'c'],
    ['is NaN', 'defaults', { a: Number.NaN }, 'args.a is NaN', undefined],
    ['is a function', 'defaults', { a: { deep: [() => 1] } }, 'args.a.deep[0] is a function', undefined],
  ])('where an argument %s is INVALID_ARGUMENTS', async (_name, name, args, message, argument) => {
    const error = await failureOf(served.call({ script: parameters, function: name, args: args as never }));
    expect(error.code).toBe('INVALID_ARGUMENTS');
    expect(error.message).toContain(message);
    expect(error.details.argument).toBe(argument);
    await stillServes();
  });

  it.each([[null], [[1]], ['a'], [5]])('where the arguments are %j is INVALID_ARGUMENTS', async (args) => {
    const error = await failureOf(served.call({ script: parameters, function: 'defaults', args: args as never }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining('must be an object') });
  });

  it.each([
    ['script', { script: '', function: 'f' }, 'INVALID_SCRIPT'],
    ['script', { script: 5, function: 'f' }, 'INVALID_SCRIPT'],
    ['function', { script: parameters, function: '' }, 'UNKNOWN_TOOL'],
    ['function', { script: parameters }, 'UNKNOWN_TOOL'],
  ])('where no %s is named is said as such', async (_name, work, code) => {
    expect((await failureOf(served.call(work as never))).code).toBe(code);
  });

  it.each<[string, unknown, string]>([
    ['isolation', { isolation: 'bogus' }, 'INVALID_SETTING'],
    ['session', { session: 5 }, 'INVALID_ARGUMENTS'],
    ['caller', { caller: {} }, 'INVALID_ARGUMENTS'],
    ['priority', { priority: Number.NaN }, 'INVALID_ARGUMENTS'],
    ['signal', { signal: {} }, 'INVALID_ARGUMENTS'],
    ['onEvent', { onEvent: 'f' }, 'INVALID_ARGUMENTS'],
    ['limits', { limits: 'low' }, 'INVALID_ARGUMENTS'],
    ['options', null, 'INVALID_ARGUMENTS'],
  ])('for the option %s is %j, refused', async (name, options, code) => {
    const error = await failureOf(served.call({ script: parameters, function: 'none' }, options as never));
    expect(error.code).toBe(code);
    expect(error.message).toContain(name);
  });

  it('in settings that contradict each other names the one to mend', () => {
    const create = () => createEngine({ idleChildren: 2, minIdleChildren: 3 });
    expect(create).toThrow('Setting minIdleChildren: 3 is more than idleChildren, which is 2');
  });

  it('in place of any work is refused', async () => {
    for (const work of [undefined, null, 5] as never[]) {
      expect((await failureOf(served.call(work))).code).toBe('INVALID_SCRIPT');
      expect((await failureOf(served.run(work))).code).toBe('INVALID_SCRIPT');
    }
    expect((await failureOf(served.warm(5 as never))).code).toBe('INVALID_SCRIPT');
  });

  it('that came about after it was checked ends its call and no other', async () => {
    let asked = 0;
    const changing = {
      toJSON() {
        asked += 1;
        if (asked > 1) throw new Error('no longer');
        return 1;
      },
    };
    const error = await failureOf(
      served.call({ script: parameters, function: 'defaults', args: { a: changing } as never }),
    );
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining('no longer') });
    expect(served.status().scripts.every(({ busy }) => busy === 0)).toBe(true);
    await stillServes();
  });

  it.each<[string, object, string]>([
    ['argv', { argv: 'a b' }, 'argv must be a list of texts'],
    ['argv', { argv: [1] }, 'argv has 1, which is not text'],
    ['argv', { argv: ['a\0b'] }, 'argv has a NUL byte'],
    ['argv', { argv: ['\ud800'] }, 'argv has an unpaired surrogate'],
    ['env', { env: null }, 'env must be an object'],
    ['env', { env: { A: 1 } }, 'env has 1, which is not text'],
    ['env', { env: { 'A=B': 'c' } }, 'env has "A=B", which is no name'],
    ['env', { env: { '': 'c' } }, 'env has "", which is no name'],
    ['stdin', { stdin: Buffer.from('a') }, 'stdin has a, which is not text'],
    ['stdin', { stdin: '\udfff' }, 'stdin has an unpaired surrogate'],
    ['cwd', { cwd: 5 }, 'cwd has 5, which is not text'],
    ['cwd', { cwd: join(folder, 'nowhere') }, 'cannot be entered: No such file or directory'],
    ['cwd', { cwd: join(folder, 'empty.py') }, 'cannot be entered: Not a directory'],
    ['filename', { filename: 'a\0b' }, 'filename has a NUL byte'],
  ])('for %s of a whole script, %j, is INVALID_ARGUMENTS', async (argument, wrong, message) => {
    const error = await failureOf(served.run({ source: 'result(1)', ...wrong } as ScriptRun));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', details: { argument } });
    expect(error.message).toContain(message);
    expect((await served.run({ source: 'result(1)' })).value).toBe(1);
  });

  it.each([{}, { path: '' }, { source: 5 }, { path: 7 }])(
    'in place of a script run, %j, is INVALID_SCRIPT',
    async (work) => {
      expect((await failureOf(served.run(work as never))).code).toBe('INVALID_SCRIPT');
    },
  );
});
