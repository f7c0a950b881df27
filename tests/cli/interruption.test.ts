import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const signals = ['SIGINT', 'SIGTERM'] as const;
let listeners: Map<string, readonly unknown[]>;

beforeEach(() => {
  vi.resetModules();
  listeners = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
});

afterEach(() => {
  vi.restoreAllMocks();
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
