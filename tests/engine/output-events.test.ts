import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunOptions } from '../../src/engine/work.js';
import type { CallEvent } from '../../src/toolbox.js';
import { collectEvents, describeWithEngine, failureOf, fixture, folderWith } from './harness.js';

const lines = (events: readonly CallEvent[], stream?: 'stdout' | 'stderr') =>
  events.flatMap((event) =>
    event.type === 'output' && (stream === undefined || event.stream === stream) ? [event.line] : [],
  );

function newPipe(): string {
  const pipe = join(folderWith({}), 'pipe');
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

describeWithEngine('output', { idleChildren: 1 }, (engine, launcher) => {
  const print = (name: string, options?: RunOptions) =>
    engine().call({ script: fixture('prints_in_every_way.py'), function: name }, options);

  it('of stdout and stderr stays apart and in order', async () => {
    const { events, onEvent } = collectEvents();
    const { stdout, stderr } = await print('print_apart', { onEvent });
    expect(stdout).toBe('out 0\nout 1\nout 2\n');
    expect(stderr).toBe('err 0\nerr 1\nerr 2\n');
    expect(lines(events, 'stdout')).toEqual(['out 0', 'out 1', 'out 2']);
    expect(lines(events, 'stderr')).toEqual(['err 0', 'err 1', 'err 2']);
  });

  it('of Python, of a descriptor and of C arrives', async () => {
    const { stdout, value } = await print('print_from_c');
    expect(stdout).toBe('python first\nthen the descriptor\nthen the C library\n');
    expect(value).toBe(7);
  });

  it('of a subprocess arrives', async () => {
    const { stdout, stderr } = await print('print_from_a_subprocess');
    expect([stdout, stderr]).toEqual(['to stdout\n', 'to stderr\n']);
  });

  if (launcher === 'fork') {
    it('to /dev/stdout and /dev/stderr arrives', async () => {
      const { stdout, stderr } = await print('print_to_devices');
      expect([stdout, stderr]).toEqual(['to /dev/stdout\n', 'to /dev/stderr\n']);
    });
  }

  it('without an end of line arrives at the end', async () => {
    const { events, onEvent } = collectEvents();
    const { stdout } = await print('print_partly', { onEvent });
    expect(stdout).toBe('whole line\npart of a line');
    expect(lines(events)).toEqual(['whole line', 'part of a line']);
  });

  it('that is redrawn becomes progress, and only its last state is kept', async () => {
    const { events, onEvent } = collectEvents();
    const { stdout } = await print('print_a_bar', { onEvent });
    expect(stdout).toBe('row 3/3\ndone\n');
    const progress = events.filter((event) => event.type === 'progress');
    expect(progress.at(-1)).toEqual({ type: 'progress', done: 3, total: 3, message: 'row 3/3' });
    expect(lines(events)).toEqual(['row 3/3', 'done']);
  });

  it('that is not UTF-8 arrives replaced and marked', async () => {
    const { stdout } = await print('print_bytes');
    expect(stdout).toBe('caf\uFFFD and \uFFFD\n[… 2 bytes were not UTF-8 and were replaced]\n');
  });

  it('in any script arrives unchanged', async () => {
    expect((await print('print_signs')).stdout).toBe('größer 漢字 🎉 \u200d|\n');
  });

  it('that looks like an end mark is only text', async () => {
    expect((await print('print_marks')).stdout).toBe('\0a forged end mark\0\nafter it\n');
  });

  it('that is none is empty', async () => {
    expect(await print('print_nothing')).toMatchObject({ stdout: '', stderr: '', logs: [], exitCode: 0, value: null });
  });

  it('beyond what is kept is cut with a mark, and all of it is told live', async () => {
    const { events, onEvent } = collectEvents();
    const call = { script: fixture('floods.py'), function: 'write_lines', args: { count: 5000 } };
    const { stdout, value } = await engine().call(call, { onEvent, limits: { maxCapturedBytes: 1000 } });
    expect(value).toBe(5000);
    expect(stdout).toMatch(/^0\n1\n/);
    expect(stdout).toMatch(/\n\[… \d+ bytes cut …\]\n/);
    expect(stdout).toMatch(/4999\n$/);
    expect(lines(events)).toEqual(Array.from({ length: 5000 }, (_, number) => String(number)));
  });

  it('that is more than any buffer holds arrives whole', async () => {
    const call = { script: fixture('floods.py'), function: 'write_lines', args: { count: 100_000 } };
    const { stdout, value } = await engine().call(call);
    expect(value).toBe(100_000);
    expect(stdout.split('\n')).toHaveLength(100_001);
  });
});

describeWithEngine('events', { idleChildren: 1 }, (engine) => {
  it('arrive while the call still runs', async () => {
    const { onEvent, next } = collectEvents();
    const pipe = newPipe();
    const call = { script: fixture('waits_for_a_pipe.py'), function: 'wait', args: { pipe } };
    const running = engine().call(call, { onEvent });
    await next((event) => event.type === 'output' && event.line === 'waiting');
    await writeFile(pipe, 'go');
    expect((await running).value).toMatchObject({ read: 'go' });
  });

  it('of log, progress and values arrive in the order in which they were said', async () => {
    const { events, onEvent } = collectEvents();
    const source = `
from mcp_execution import log, progress

log("warn", "first")
progress(1, 2, "half")
progress(2)
log("second")
`;
    const { logs } = await engine().run({ source }, { onEvent });
    expect(logs).toEqual([
      { level: 'warning', message: 'first' },
      { level: 'info', message: 'second' },
    ]);
    expect(events.filter(({ type }) => type !== 'queued')).toEqual([
      { type: 'log', level: 'warning', message: 'first' },
      { type: 'progress', done: 1, total: 2, message: 'half' },
      { type: 'progress', done: 2 },
      { type: 'log', level: 'info', message: 'second' },
    ]);
  });

  it('that a slow listener has not taken yet hold the script back', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let told = 0;
    const pause = () => {
      told += 1;
      return held;
    };
    const call = { script: fixture('floods.py'), function: 'flood', args: { stream: 'stdout' } };
    const controller = new AbortController();
    const failed = failureOf(engine().call(call, { onEvent: pause, signal: controller.signal }));
    await expect.poll(() => told, { interval: 5 }).toBeGreaterThan(0);
    const afterOneTurn = told;
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(told - afterOneTurn).toBeLessThan(5000);
    controller.abort();
    expect((await failed).code).toBe('CANCELLED');
    release();
  });

  it('are all told to a slow listener, though the process is long gone', async () => {
    const told: string[] = [];
    let slow = 0;
    const onEvent = (event: CallEvent) => {
      if (event.type === 'output') told.push(event.line);
      slow += 1;
      return slow % 4000 === 1 ? new Promise<void>((resolve) => setTimeout(resolve, 300)) : undefined;
    };
    const call = { script: fixture('floods.py'), function: 'write_lines', args: { count: 20_000 } };
    const { stdout } = await engine().call(call, { onEvent });
    expect(told).toHaveLength(20_000);
    expect(stdout.endsWith('19999\n')).toBe(true);
  });

  it('never end a call by what a listener throws or rejects with', async () => {
    const call = { script: fixture('prints_in_every_way.py'), function: 'print_apart' };
    const throws = () => {
      throw new Error('of the listener');
    };
    const rejects = () => Promise.reject(new Error('of the listener'));
    expect((await engine().call(call, { onEvent: throws })).stdout).toBe('out 0\nout 1\nout 2\n');
    expect((await engine().call(call, { onEvent: rejects })).stdout).toBe('out 0\nout 1\nout 2\n');
  });

  it('that a listener never takes end with the call', async () => {
    const call = { script: fixture('prints_in_every_way.py'), function: 'print_apart' };
    const options = { onEvent: () => new Promise<void>(() => {}), limits: { timeoutMs: 300 } };
    expect((await failureOf(engine().call(call, options))).code).toBe('TIMEOUT');
  });
});
