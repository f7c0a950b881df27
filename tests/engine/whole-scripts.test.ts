import { realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { expect, it } from 'vitest';
import type { ScriptRun } from '../../src/engine/work.js';
import type { JsonValue } from '../../src/toolbox.js';
import { collectEvents, describeWithEngine, failureOf, fixture, folderWith } from './harness.js';

const beside = { neighbour: 'hello', package: 'described', deep: 'deeply described', pickled: true };
const ownCalendar = "this calendar stands in front of Python's own";

describeWithEngine('A whole script', { idleChildren: 1 }, (engine, launcher) => {
  const value = async (work: ScriptRun): Promise<JsonValue> => (await engine().run(work)).value;

  it('runs from its file as python script.py would', async () => {
    const path = fixture('tells_its_scene.py');
    expect(await value({ path, argv: ['--flag', 'é 🐍', ''] })).toEqual({
      name: '__main__',
      file: path,
      argv: [path, '--flag', 'é 🐍', ''],
      path0: dirname(path),
      cwd: process.cwd(),
      'main is a module': true,
      spec: null,
      package: null,
      doc: null,
    });
  });

  it('runs from source text', async () => {
    const source = 'import sys\nresult([__name__, sys.argv, "__file__" in globals()])';
    expect(await value({ source, argv: ['a'] })).toEqual(['__main__', ['<script>', 'a'], false]);
  });

  it('is called by the name that comes with its source', async () => {
    const error = await failureOf(engine().run({ source: '1/0', filename: 'invoice.py' }));
    expect(error.details.traceback).toContain('File "invoice.py", line 1, in <module>\n    1/0');
  });

  it('reads the text of its stdin, to the end', async () => {
    const source = 'import sys\nresult([input(), input("ask "), sys.stdin.read()])';
    const run = await engine().run({ source, stdin: 'ä\n🐍\nrest\nof it' });
    expect(run.value).toEqual(['ä', '🐍', 'rest\nof it']);
    expect(run.stdout).toBe('ask ');
  });

  it('hands its stdin on to the programs it starts', async () => {
    const source = 'import subprocess, sys\nsubprocess.run([sys.executable, "-c", "print(input())"])';
    expect((await engine().run({ source, stdin: 'for the child' })).stdout).toBe('for the child\n');
  });

  it('takes stdin larger than any pipe', async () => {
    const source = 'import sys\nresult(len(sys.stdin.read()))';
    expect(await value({ source, stdin: 'x'.repeat(3_000_000) })).toBe(3_000_000);
  });

  it.each([undefined, ''])('sees the end of file where stdin is %j', async (stdin) => {
    const source = 'import sys\nassert sys.stdin.read() == ""\ninput()';
    const error = await failureOf(engine().run({ source, stdin }));
    expect(error).toMatchObject({
      code: 'EXCEPTION',
      message: 'EOF when reading a line',
      details: { type: 'EOFError' },
    });
  });

  it('has the environment and the working folder of its run, and leaves them to nobody else', async () => {
    const source = 'import os\nresult([os.environ.get("GREETING"), os.getcwd(), os.path.exists("here.txt")])';
    const folder = realpathSync(folderWith({ 'here.txt': '' }));
    expect(await value({ source, env: { GREETING: 'hel=lo 🐍' }, cwd: folder })).toEqual(['hel=lo 🐍', folder, true]);
    expect(await value({ source })).toEqual([null, process.cwd(), false]);
  });

  it('takes a working folder that is relative as the host sees it', async () => {
    const folder = realpathSync(folderWith({}));
    const source = 'import os\nresult(os.getcwd())';
    expect(await value({ source, cwd: relative(process.cwd(), folder) })).toBe(folder);
  });

  it('has its own hook called with what ended it, and answers the same', async () => {
    const source = `
import sys, traceback
sys.excepthook = lambda kind, error, place: print("hooked", kind.__name__, len(traceback.extract_tb(place)))
raise ValueError("x")`;
    const error = await failureOf(engine().run({ source }));
    expect(error).toMatchObject({ code: 'EXCEPTION', message: 'x', details: { stdout: 'hooked ValueError 1\n' } });
  });

  it('hands its environment on to the programs it starts', async () => {
    const source = 'import subprocess\nsubprocess.run("echo $GREETING", shell=True)';
    expect((await engine().run({ source, env: { GREETING: 'hello' } })).stdout).toBe('hello\n');
  });

  it('runs its main block, which a function call does not', async () => {
    const path = fixture('has_a_main_block.py');
    expect(await engine().run({ path })).toMatchObject({
      value: ['main'],
      stdout: 'the main block ran\n',
      exitCode: 0,
    });
    expect(await engine().call({ script: path, function: 'what_ran' })).toMatchObject({ value: [], stdout: '' });
  });

  it('imports the modules and packages beside it, before those of Python', async () => {
    const path = fixture('beside/imports_what_is_beside.py');
    const whole = { ...beside, neighbour: 'hello main', package: 'described main', calendar: ownCalendar };
    expect(await value({ path })).toEqual(whole);
  });

  it('imports the modules of its working folder where it has no file', async () => {
    const cwd = dirname(fixture('beside/neighbour.py'));
    expect(await value({ source: 'import calendar\nresult(calendar.own)', cwd })).toBe(ownCalendar);
  });

  it.each(['2 odd-näme.v2.py', 'json.py'])('may be called %s', async (name) => {
    const path = fixture(`odd-names/${name}`);
    const expected = name === 'json.py' ? "this script's own dumps of main" : { name: 'main' };
    expect(await value({ path })).toEqual(expected);
  });

  it('starts worker processes, forked or spawned', async () => {
    expect(await value({ path: fixture('uses_multiprocessing.py') })).toEqual([
      [1, 4, 9],
      [1, 4, 9],
    ]);
  });

  it.each<[string, string, JsonValue]>([
    ['result(value)', 'result(1)\nresult({"a": 2})', { a: 2 }],
    ['its global called result', 'result = [1]', [1]],
    [
      'result(value), also where a global has that name',
      'from mcp_execution import result as give\nresult = 1\ngive(2)',
      2,
    ],
    ['nothing where it says nothing', 'print("hi")', null],
    ['what it had when it exited with 0', 'import sys\nresult = 5\nsys.exit(0)', 5],
    ['what it said before it exited with 0', 'result(5)\nraise SystemExit', 5],
  ])('gives %s', async (_name, source, expected) => {
    expect(await engine().run({ source })).toMatchObject({ value: expected, exitCode: 0 });
  });

  it('may call result like its own function', async () => {
    expect(await value({ source: 'def result():\n    return 1\nresult()' })).toBeNull();
  });

  it.each([
    ['sys.exit(3)', 3, ''],
    ['sys.exit("went wrong")', 1, 'went wrong\n'],
    ['sys.exit(256 + 7)', 7, ''],
    ['sys.exit(-1)', 255, ''],
    ['sys.exit(True)', 1, ''],
    ['sys.exit([1])', 1, '[1]\n'],
    ['print("before", flush=True); import os; os._exit(4)', 4, ''],
  ])('that ends by %s has failed with its exit code', async (statement, exitCode, stderr) => {
    const error = await failureOf(engine().run({ source: `import sys\n${statement}` }));
    expect(error.code).toBe('PROCESS_FAILED');
    expect(error.details).toMatchObject({ exitCode, stderr, figures: { launcher } });
  });

  it('finishes its threads, exit handlers and open files before it answers', async () => {
    const folder = folderWith({});
    const source = `
import atexit, threading, time
from mcp_execution import log
file = open("unflushed.txt", "w")
file.write("written")
atexit.register(print, "exit handler")
release = threading.Event()
def work():
    release.wait()
    print("thread")
    log("info", "from the thread")
threading.Thread(target=work).start()
threading.Timer(0.01, release.set).start()
print("main")
`;
    const run = await engine().run({ source, cwd: folder });
    expect(run.stdout).toBe('main\nthread\nexit handler\n');
    expect(run.logs).toEqual([{ level: 'info', message: 'from the thread' }]);
    expect(await value({ source: 'result(open("unflushed.txt").read())', cwd: folder })).toBe('written');
  });

  it('tells its progress, its log and its lines as they come', async () => {
    const { events, onEvent } = collectEvents();
    const source = `
import sys
from decimal import Decimal
from fractions import Fraction
progress(1, 4, "first")
progress(2.5)
progress(Fraction(7, 2), Decimal(4))
log("warning", "careful")
log("fatal", None)
log("no level")
log("odd", 5)
print("out")
print("err", file=sys.stderr)
`;
    const run = await engine().run({ source }, { onEvent });
    const logs = [
      { level: 'warning', message: 'careful' },
      { level: 'critical', message: 'None' },
      { level: 'info', message: 'no level' },
      { level: 'info', message: '5' },
    ];
    expect(run).toMatchObject({ logs, stdout: 'out\n', stderr: 'err\n', exitCode: 0 });
    expect(events.filter(({ type }) => type === 'progress')).toEqual([
      { type: 'progress', done: 1, total: 4, message: 'first' },
      { type: 'progress', done: 2.5 },
      { type: 'progress', done: 3.5, total: 4 },
    ]);
    expect(events.filter(({ type }) => type === 'log')).toEqual(logs.map((entry) => ({ type: 'log', ...entry })));
    expect(events.filter(({ type }) => type === 'output')).toEqual(
      expect.arrayContaining([
        { type: 'output', stream: 'stdout', line: 'out' },
        { type: 'output', stream: 'stderr', line: 'err' },
      ]),
    );
  });

  it.each([
    ['progress("3")', 'TypeError', 'progress: done must be a number, not str'],
    ['progress(True)', 'TypeError', 'progress: done must be a number, not bool'],
    ['progress(1, float("nan"))', 'ValueError', 'progress: total must be finite'],
    ['progress(float("-inf"))', 'ValueError', 'progress: done must be finite'],
    ['progress(10**400)', 'ValueError', 'progress: done must be finite'],
  ])('is told that %s makes no sense', async (source, type, message) => {
    const error = await failureOf(engine().run({ source }));
    expect(error).toMatchObject({ code: 'EXCEPTION', message, details: { type } });
  });
});

describeWithEngine('A function call', { idleChildren: 1 }, (engine) => {
  it('sees the scene that python script.py would give', async () => {
    const script = fixture('tells_its_scene.py');
    const { value } = await engine().call({ script, function: 'scene' });
    expect(value).toEqual({
      name: 'tells_its_scene',
      file: script,
      argv: [script],
      'argv now': [script],
      path0: dirname(script),
      cwd: process.cwd(),
      'cwd now': process.cwd(),
      'main is a module': false,
      spec: 'tells_its_scene',
      package: '',
      doc: null,
    });
  });

  it('imports what is beside its script', async () => {
    const work = { script: fixture('beside/imports_what_is_beside.py'), function: 'use', args: { name: 'Al' } };
    const { value } = await engine().call(work);
    expect(value).toEqual({ ...beside, neighbour: 'hello Al', package: 'described Al', calendar: ownCalendar });
  });

  it.each([
    ['2 odd-näme.v2.py', 'thing', { name: 'Al' }, { name: 'Al' }],
    ['json.py', 'dumps', { value: 1 }, "this script's own dumps of 1"],
    ['asyncio.py', 'run', { value: 1 }, 'not an event loop: 1'],
    ['dis.py', 'disassemble', { value: 1 }, 'not bytecode: 1'],
  ])('finds its function in %s', async (name, functionName, args, expected) => {
    const script = fixture(`odd-names/${name}`);
    expect((await engine().call({ script, function: functionName, args })).value).toEqual(expected);
  });

  it.each(['fork', 'spawn'])('starts worker processes by %s', async (method) => {
    const args = { numbers: [1, 2, 3], method };
    const { value } = await engine().call({ script: fixture('uses_multiprocessing.py'), function: 'squares', args });
    expect(value).toEqual([1, 4, 9]);
  });
});
