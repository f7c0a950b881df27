import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPython } from '../../src/python/interpreter.js';
import type { JsonObject } from '../../src/toolbox.js';
import { collectEvents, describeWithEngine, failureOf, fixture, folderWith } from './harness.js';

const raises = fixture('raises.py');
const { version } = await findPython();
const hasExceptionGroups = Number(version.split('.')[1]) >= 11;

describeWithEngine('A failure of a script', { idleChildren: 1 }, (engine, launcher) => {
  const fail = (name: string, args: JsonObject = {}) =>
    failureOf(engine().call({ script: raises, function: name, args }));

  it('carries type, message, place and traceback, and what a result would have had', async () => {
    const error = await fail('plain');
    expect(error).toMatchObject({ code: 'EXCEPTION', fault: 'script', message: 'only 3 left' });
    expect(error.details).toMatchObject({
      type: 'Shortage',
      file: raises,
      line: 12,
      text: 'raise Shortage(f"only {amount} left")',
      stdout: 'before the end\n',
      stderr: '',
      figures: { launcher, isolation: 'call' },
    });
    expect(error.details.figures?.wallMs).toBeGreaterThan(0);
    expect(error.details.figures?.peakMemoryBytes).toBeGreaterThan(1024 * 1024);
    expect(error.details.traceback).toBe(
      [
        'Traceback (most recent call last):',
        `  File "${raises}", line 12, in plain`,
        '    raise Shortage(f"only {amount} left")',
        'raises.Shortage: only 3 left',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['chained', 'Shortage', ["KeyError: 'missing'", 'direct cause', 'raises.Shortage: no stock']],
    ['during_another', 'IndexError', ['raises.Shortage: only 3 left', 'another exception occurred', 'IndexError: pop']],
    ['awaited', 'Shortage', ['in awaited', 'in _fails_later', 'raises.Shortage: in a task']],
    ['in_a_library', 'JSONDecodeError', ['in in_a_library', 'json.loads("{")', 'json.decoder.JSONDecodeError']],
    ['assertion', 'AssertionError', ['assert 1 == 2', 'AssertionError: one is not two']],
    ['without_message', 'ValueError', ['raise ValueError', 'ValueError\n']],
    ['interrupted', 'KeyboardInterrupt', ['KeyboardInterrupt']],
    ['endless', 'RecursionError', ['Previous line repeated', 'maximum recursion depth exceeded']],
    ['bad_code_for_eval', 'SyntaxError', ['return eval("1 +")', 'SyntaxError']],
    ['unprintable', 'unprintable.<locals>.Unprintable', ['in unprintable']],
    ['surrogates', 'ValueError', ['a\\ud800b']],
    ['enormous', 'ValueError', ['characters left out']],
  ])('%s is told with a whole traceback and without frames of ours', async (name, type, parts) => {
    const error = await fail(name);
    expect(error).toMatchObject({ code: 'EXCEPTION', details: { type, file: raises } });
    for (const part of parts) expect(error.details.traceback).toContain(part);
    expect(error.details.traceback).not.toMatch(/mcp_execution|start\.py|asyncio[/\\]runners/);
    expect(error.message.length).toBeLessThan(20_000);
    expect((await engine().call({ script: raises, function: 'fine' })).value).toBe('fine');
  });

  it.skipIf(!hasExceptionGroups)('tells each exception of a group (ExceptionGroup came with 3.11)', async () => {
    const error = await failureOf(engine().call({ script: fixture('raises_a_group.py'), function: 'group' }));
    expect(error).toMatchObject({ code: 'EXCEPTION', details: { type: 'ExceptionGroup' } });
    expect(error.message).toBe('two went wrong (2 sub-exceptions)');
    expect(error.details.traceback).toContain("invalid literal for int() with base 10: 'second'");
    expect(error.details.traceback).not.toContain('mcp_execution');
  });

  it('comes after the values that a generator yielded', async () => {
    const { events, onEvent } = collectEvents();
    const call = engine().call({ script: raises, function: 'yields_then_raises' }, { onEvent });
    expect((await failureOf(call)).message).toBe('after one');
    expect(events).toContainEqual({ type: 'value', value: 1 });
  });

  it.each([
    ['imports_in_vain', 'no_such_module_anywhere', "No module named 'no_such_module_anywhere'"],
    ['takes_in_vain', 'json', "cannot import name 'no_such_name' from 'json'"],
  ])('%s is an IMPORT_ERROR that names the module', async (name, module, message) => {
    const error = await fail(name);
    expect(error).toMatchObject({ code: 'IMPORT_ERROR', details: { module, file: raises } });
    expect(error.message).toContain(message);
  });

  it('that exits is PROCESS_FAILED with its exit code, and 0 is no failure', async () => {
    expect(await fail('exits', { code: 3 })).toMatchObject({ code: 'PROCESS_FAILED', details: { exitCode: 3 } });
    const { value, exitCode } = await engine().call({ script: raises, function: 'exits', args: { code: 0 } });
    expect([value, exitCode]).toEqual([null, 0]);
  });

  it.each<[string, string, JsonObject]>([
    [
      'syntax_error.py',
      'SYNTAX_ERROR',
      { file: fixture('broken/syntax_error.py'), line: 5, column: 13, text: 'def broken()' },
    ],
    [
      'imports_a_syntax_error.py',
      'SYNTAX_ERROR',
      { file: fixture('broken/syntax_error.py'), line: 5, column: 13, text: 'def broken()' },
    ],
    ['import_fails.py', 'IMPORT_ERROR', { module: 'no_such_module_anywhere', line: 2, stdout: 'importing\n' }],
    ['raises_at_import.py', 'EXCEPTION', { type: 'KeyError', line: 5, stderr: 'loading\n' }],
    ['exits_at_import.py', 'PROCESS_FAILED', { exitCode: 1 }],
  ])('at the import of %s is %s, for each call and for the whole script', async (name, code, details) => {
    const script = fixture(`broken/${name}`);
    const attempts = [
      () => engine().call({ script, function: 'never' }),
      () => engine().run({ path: script }),
      () => engine().call({ script, function: 'never' }),
      () => engine().call({ script, function: 'never', prewarm: false }),
    ];
    for (const attempt of launcher === 'fork' ? attempts : attempts.slice(0, 2)) {
      const error = await failureOf(attempt());
      expect(error.code).toBe(code);
      expect(error.details).toMatchObject(details);
      expect(error.details.traceback).not.toContain('mcp_execution');
    }
    const warming = await failureOf(engine().warm(script));
    expect(warming.code).toBe(code);
  });

  it('is gone once the script is mended', async () => {
    const script = join(folderWith({ 'mended.py': 'def f(:\n    return 1\n' }), 'mended.py');
    expect((await failureOf(engine().call({ script, function: 'f' }))).code).toBe('SYNTAX_ERROR');
    writeFileSync(script, 'def f():\n    return 1\n');
    expect((await engine().call({ script, function: 'f' })).value).toBe(1);
  });

  it('quotes the text that ran, not the text of a later edit', async () => {
    const source = readFileSync(fixture('edits_itself_and_raises.py'), 'utf8');
    const script = join(folderWith({ 'edits_itself_and_raises.py': source }), 'edits_itself_and_raises.py');
    const error = await failureOf(engine().call({ script, function: 'edit_and_raise' }));
    expect(error.details.text).toBe('raise ValueError("as it ran")');
    expect(error.details.traceback).toContain('raise ValueError("as it ran")');
    expect(error.details.traceback).not.toContain('edited');
    const whole = await failureOf(engine().run({ source: `${source}\nedit_and_raise()`, env: { SCRIPT: script } }));
    expect(whole.details.text).toBe('raise ValueError("as it ran")');
  });

  it('does not stop the engine from using the new text', async () => {
    const script = join(folderWith({ 'version.py': 'def v():\n    return 1\n' }), 'version.py');
    expect((await engine().call({ script, function: 'v' })).value).toBe(1);
    writeFileSync(script, 'def v():\n    return "two"\n');
    expect((await engine().call({ script, function: 'v' })).value).toBe('two');
  });
});
