import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let listeners: Map<string, readonly unknown[]>;
let onExits: readonly unknown[];
let onErrors: readonly unknown[];

beforeEach(() => {
  vi.resetModules();
  listeners = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  onExits = process.listeners('exit');
  onErrors = process.stdout.listeners('error');
});

afterEach(() => {
  vi.restoreAllMocks();
  for (const listener of process.listeners('exit')) {
    if (!onExits.includes(listener)) process.off('exit', listener);
  }
  for (const listener of process.stdout.rawListeners('error')) {
    if (!onErrors.includes(listener)) process.stdout.off('error', listener as () => void);
  }
  for (const signal of signals) {
    for (const listener of process.listeners(signal)) {
      if (!listeners.get(signal)?.includes(listener)) process.off(signal, listener);
    }
  }
});

async function listen() {
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const { listenToProcess, outlastReader } = await import('../../src/cli/interruption.js');
  return { clock, outlastReader, interruption: listenToProcess() };
}

it('takes a signal that comes twice at once, to the process and to its group, for one where reports are still to be written', async () => {
  const { clock, outlastReader, interruption } = await listen();
  outlastReader();
  process.emit('SIGTERM');
  process.emit('SIGTERM');
  expect(interruption.aborted).toBe(true);
  clock.mockReturnValue(2000);
  expect(() => process.emit('SIGINT')).toThrow('exit 130');
});

it('ends at once at the second signal where nothing else is to be done', async () => {
  await listen();
  process.emit('SIGINT');
  expect(() => process.emit('SIGINT')).toThrow('exit 130');
});

it('takes a terminal that is closed for an interruption where reports are still to be written, however often it is told', async () => {
  const { clock, outlastReader, interruption } = await listen();
  outlastReader();
  process.emit('SIGHUP');
  expect(interruption.aborted).toBe(true);
  clock.mockReturnValue(2000);
  expect(() => process.emit('SIGHUP')).not.toThrow();
});

it('leaves SIGHUP to others where no reports are to be written', async () => {
  const before = process.listenerCount('SIGHUP');
  await listen();
  expect(process.listenerCount('SIGHUP')).toBe(before);
});

it.each([
  ['EPIPE', false, false],
  ['EIO', true, false],
  ['EIO', false, true],
])('%s of stdout, which is a terminal: %j, ends the work with reports to write: %j', async (code, isTTY, ends) => {
  const { outlastReader } = await listen();
  outlastReader();
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const before = process.stdout.isTTY;
  process.stdout.isTTY = isTTY;
  try {
    const emit = () => process.stdout.emit('error', Object.assign(new Error('gone'), { code }));
    if (ends) expect(emit).toThrow('exit 1');
    else expect(emit).not.toThrow();
  } finally {
    process.stdout.isTTY = before;
  }
});
