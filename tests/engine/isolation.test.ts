import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeFrame } from '../../src/engine/frames.js';
import type { RunOptions } from '../../src/engine/work.js';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';
import { describeLaunchers, describeWithEngine, failureOf, fixture, folderWith } from './harness.js';
import { outcomeOf, until } from './processes.js';

/** All misbehaviour in one script, so that what it does would meet others of the same zygote and the same pipes. */
const script = join(
  folderWith({
    ...Object.fromEntries(
      readdirSync(fixture('.'))
        .filter((name) => name.endsWith('.py'))
        .map((name) => [name, readFileSync(fixture(name))]),
    ),
    'everything.py': `
from aborts import abort
from closes_its_descriptors import close
from exits import leave, leave_at_once
from floods import flood
from hangs_at_exit import leave as leave_a_hanging_handler
from kills_its_group import kill as kill_group
from kills_itself import kill
from leaves_a_daemon import leave as leave_a_daemon
from leaves_a_process_on_stdout import leave as leave_a_process_on_stdout
from leaves_threads import leave as leave_a_thread
from prints_after_the_answer import answer
from says_a_word import say
from segfaults import fault
from sends_stdout_elsewhere import send
from sets_descriptors_nonblocking import set_them
from shuts_its_sockets_down import shut
from writes_to_the_channel import write
`,
  }),
  'everything.py',
);

interface Misbehaviour {
  readonly title: string;
  readonly name: string;
  readonly args?: JsonObject;
  readonly expected: JsonValue;
  readonly options?: RunOptions;
}

const soon: RunOptions = { limits: { timeoutMs: 500 } };
const frame = (type: string, payload: JsonValue | Buffer) => encodeFrame(type, payload).toString('base64');
const forged = (title: string, data: string) => ({ title, name: 'write', args: { data }, expected: 'PROCESS_FAILED' });
const capped: RunOptions = { limits: { maxOutputBytes: 1_000_000 } };

const misbehaviours: readonly Misbehaviour[] = [
  { title: 'exits', name: 'leave', args: { code: 3 }, expected: 'PROCESS_FAILED' },
  { title: 'exits at once', name: 'leave_at_once', args: { code: 0 }, expected: 'PROCESS_FAILED' },
  { title: 'aborts', name: 'abort', expected: 'PROCESS_FAILED' },
  { title: 'has a segmentation fault', name: 'fault', expected: 'PROCESS_FAILED' },
  { title: 'ends by a signal without a name', name: 'kill', args: { signal: 40 }, expected: 'PROCESS_FAILED' },
  { title: 'kills its process group', name: 'kill_group', expected: 'PROCESS_FAILED' },
  { title: 'closes its descriptors', name: 'close', expected: 'PROCESS_FAILED' },
  { title: 'makes its descriptors non-blocking', name: 'set_them', expected: 7 },
  { title: 'sends its stdout elsewhere', name: 'send', expected: 7 },
  { title: 'prints after the answer', name: 'answer', expected: 7 },
  { title: 'floods stdout', name: 'flood', args: { stream: 'stdout' }, expected: 'OUTPUT_LIMIT', options: capped },
  { title: 'floods stderr', name: 'flood', args: { stream: 'stderr' }, expected: 'OUTPUT_LIMIT', options: capped },
  { title: 'leaves a daemon thread', name: 'leave_a_thread', args: { daemon: true }, expected: 7 },
  { title: 'leaves an endless thread', name: 'leave_a_thread', args: { daemon: false }, expected: 7, options: soon },
  { title: 'leaves a hanging exit handler', name: 'leave_a_hanging_handler', expected: 7, options: soon },
  { title: 'leaves a daemon', name: 'leave_a_daemon', expected: null },
  { title: 'leaves a process on its stdout', name: 'leave_a_process_on_stdout', expected: null },
  forged('writes bytes on its channel', Buffer.alloc(100, 0xff).toString('base64')),
  forged('announces a message without end', Buffer.from('V\xff\xff\xff\xff', 'latin1').toString('base64')),
  forged('sends a message that is not JSON', frame('V', Buffer.from('{'))),
  forged('sends a message of an unknown kind', frame('?', {})),
  forged('sends an answer that is null', frame('V', null)),
  forged('sends an answer that is a number', frame('V', 5)),
  forged('sends an answer without figures', frame('V', { value: 1, marked: 5 })),
  forged('sends an error that is none', frame('E', { error: 5, cpuMs: 0, peakBytes: 0, addedBytes: 0 })),
  forged('sends progress that is null', frame('P', null)),
  forged('sends a value that is null', frame('Y', null)),
  forged('sends a log entry that is null', frame('L', null)),
  forged('sends a log entry without a level', frame('L', { type: 'output', message: 'forged' })),
];

describeWithEngine('a process that', {}, (engine, launcher) => {
  const call = (name: string, args?: JsonObject, options?: RunOptions) =>
    engine().call({ script, function: name, args }, { onEvent() {}, ...options });

  async function expectRightCalls(count: number): Promise<void> {
    const words = Array.from({ length: count }, (_, number) => `word ${number}`);
    const results = await Promise.all(words.map((word) => call('say', { word })));
    expect(results.map(({ value }) => value)).toEqual(words);
    expect(results.map(({ stdout }) => stdout)).toEqual(words.map((word) => `${word}\n`));
    expect(results.map(({ stderr }) => stderr)).toEqual(words.map(() => ''));
  }

  const callsAfter = launcher === 'fork' ? 20 : 1;

  it.each(misbehaviours)('$title affects only its own call', async ({ name, args, expected, options }) => {
    expect(await outcomeOf(call(name, args, options))).toEqual(expected);
    await expectRightCalls(callsAfter);
  });

  it('shuts its sockets down affects only its own call', async () => {
    expect(await outcomeOf(call('shut'))).toEqual(launcher === 'fork' ? 7 : 'PROCESS_FAILED');
    await expectRightCalls(callsAfter);
  });

  it('forges a whole answer has forged its own', async () => {
    const data = frame('V', { value: 'forged', cpuMs: 0, peakBytes: 0, addedBytes: 0 });
    expect(await outcomeOf(call('write', { data }, soon))).toBe('forged');
    await expectRightCalls(callsAfter);
  });

  it('forges a log entry that poses as an answer has only logged', async () => {
    const answer = { cpuMs: 0, peakBytes: 0, addedBytes: 0, marked: 5 };
    const data = frame('L', { level: 'info', message: 'forged', type: 'answer', answer });
    const { logs } = await call('write', { data, then_hang: false });
    expect(logs).toContainEqual({ level: 'info', message: 'forged' });
    await expectRightCalls(callsAfter);
  });

  it('forges a failure of the host has failed itself', async () => {
    const error = { code: 'CLOSED', message: 'forged', stdout: 5 };
    const data = frame('E', { error, cpuMs: 0, peakBytes: 0, addedBytes: 0 });
    expect(await failureOf(call('write', { data }, soon))).toMatchObject({
      code: 'EXCEPTION',
      details: { stdout: '' },
    });
    await expectRightCalls(callsAfter);
  });

  it('misbehaves leaves all others right, when all do it at once', async () => {
    const outcomes = misbehaviours.map(({ name, args, options }) => outcomeOf(call(name, args, options)));
    await expectRightCalls(callsAfter);
    expect(await Promise.all(outcomes)).toEqual(misbehaviours.map(({ expected }) => expected));
    await expectRightCalls(20);
  });
});

describeWithEngine('a script', { idleChildren: 1 }, (engine) => {
  it('that patches its interpreter at import is served as any other', async () => {
    const call = { script: fixture('patches_its_interpreter.py'), function: 'answer' };
    const results = await Promise.all([1, 2, 3].map(() => engine().call(call)));
    expect(results.map(({ value }) => value)).toEqual([7, 7, 7]);
  });

  it('draws other random numbers in each call', async () => {
    const call = { script: fixture('draws_at_random.py'), function: 'draw' };
    const values = (await Promise.all([1, 2, 3].map(() => engine().call(call)))).map(
      ({ value }) => value as unknown as Record<string, unknown>,
    );
    for (const name of ['module', 'own', 'uuid', 'system']) {
      expect(new Set(values.map((value) => value[name])).size, name).toBe(3);
    }
    expect(new Set(values.map(({ seeded }) => seeded)).size).toBe(1);
  });

  it('that seeds at import draws the same numbers in each call', async () => {
    const call = { script: fixture('draws_from_a_seed.py'), function: 'draw' };
    const [first, second] = await Promise.all([engine().call(call), engine().call(call)]);
    expect(first?.value).toBe(0.6394267984578837);
    expect(second?.value).toBe(0.6394267984578837);
  });

  it('stands before a module of the same name that is loaded ahead', async () => {
    const folder = folderWith({
      'calendar.py': 'name = "my own calendar"\n',
      'asks.py': 'import calendar\n\n\ndef ask() -> str:\n    return calendar.name\n',
    });
    const { value } = await engine().call({ script: join(folder, 'asks.py'), function: 'ask' });
    expect(value).toBe('my own calendar');
  });
});

describeLaunchers('what plain Python would finish after the answer', (makeEngine) => {
  it('is finished: files are written, threads joined, exit handlers run, temporary folders removed', async () => {
    const engine = makeEngine();
    const folder = folderWith({});
    const path = (name: string) => join(folder, name);
    const text = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : '');
    const call = (name: string, called: string, args: JsonObject) =>
      engine.call({ script: fixture(name), function: called, args });
    const [unflushed] = await Promise.all([
      call('leaves_a_file_unflushed.py', 'write', { path: path('file'), text: 'unflushed' }),
      call('leaves_threads.py', 'finish_in_a_thread', { path: path('thread') }),
      call('writes_at_exit.py', 'write_later', { path: path('handler'), text: 'handled' }),
    ]);
    await until(() => engine.status().running === 0);
    expect([text('file'), text('thread'), text('handler')]).toEqual(['unflushed', 'finished', 'handled']);
    expect(existsSync(String(unflushed?.value))).toBe(false);
  });

  it('is over when the engine closes', async () => {
    const engine = makeEngine();
    const { value } = await engine.call({ script: fixture('hangs_at_exit.py'), function: 'leave' });
    expect(value).toBe(7);
    await engine.close();
    expect(engine.status().running).toBe(0);
  });
});

describeLaunchers('a call after close', (makeEngine) => {
  it('fails as CLOSED', async () => {
    const engine = makeEngine();
    await engine.close();
    expect((await failureOf(engine.call({ script, function: 'say', args: { word: 'late' } }))).code).toBe('CLOSED');
  });
});
