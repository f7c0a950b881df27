import { expect, it } from 'vitest';
import type { RunFigures } from '../../src/toolbox.js';
import { collectEvents, describeLaunchers, describeWithEngine, failureOf, fixture } from './harness.js';

const megabyte = 1024 * 1024;

describeWithEngine('figures', { idleChildren: 1 }, (engine, launcher) => {
  const figuresOf = async (script: string, name: string, args = {}): Promise<RunFigures> =>
    (await engine().call({ script: fixture(script), function: name, args })).figures;

  it('say how and where a call ran', async () => {
    const figures = await figuresOf('says_a_word.py', 'say', { word: 'x' });
    expect(figures).toMatchObject({ isolation: 'call', launcher });
    expect(figures.python).toMatch(/^3\.\d+\.\d+/);
    expect(figures).not.toHaveProperty('launcherReason');
  });

  it('say what was enforced', async () => {
    const { enforced } = await figuresOf('says_a_word.py', 'say', { word: 'x' });
    expect(enforced).toEqual({
      files: 'none',
      network: 'none',
      processes: 'none',
      memory: 'best-effort',
      cpu: 'enforced',
      disk: 'none',
    });
  });

  it('tell the peak of each call of a session, and not of the calls before it', async () => {
    const take = async (megabytes: number) => {
      const call = { script: fixture('grows_in_memory.py'), function: 'take', args: { megabytes } };
      return (await engine().call(call, { isolation: 'session', session: 'peaks' })).figures.peakMemoryBytes;
    };
    const large = await take(64);
    expect(await take(1)).toBeLessThan(large - 32 * megabyte);
    await engine().endSession('peaks');
  });

  it('count the processor time of a busy loop and not of a sleep', async () => {
    const busy = await figuresOf('burns_cpu.py', 'burn_for', { seconds: 0.2 });
    const asleep = await figuresOf('burns_cpu.py', 'sleep', { seconds: 0.2 });
    expect(busy.cpuMs).toBeGreaterThanOrEqual(195);
    expect(asleep.cpuMs).toBeLessThan(150);
    expect(asleep.wallMs).toBeGreaterThanOrEqual(195);
  });

  it('count the processor time of processes that the call waited for', async () => {
    const source = `
import subprocess, sys

subprocess.run([sys.executable, "-S", "-c", "import time\\nwhile time.process_time() < 0.2: pass"], check=True)
`;
    const { figures } = await engine().run({ source });
    expect(figures.cpuMs).toBeGreaterThanOrEqual(195);
  });

  it('give the memory of the child, whatever the size of the host', async () => {
    const host = Buffer.alloc(300 * megabyte, 1);
    const { peakMemoryBytes } = await figuresOf('says_a_word.py', 'say', { word: 'x' });
    expect(host.length).toBe(300 * megabyte);
    expect(peakMemoryBytes).toBeGreaterThan(megabyte);
    expect(peakMemoryBytes).toBeLessThan(150 * megabyte);
  });

  it('give the memory that the call added', async () => {
    const little = await figuresOf('grows_in_memory.py', 'take', { megabytes: 1 });
    const much = await figuresOf('grows_in_memory.py', 'take', { megabytes: 100 });
    expect(much.addedMemoryBytes).toBeGreaterThan(90 * megabyte);
    expect(much.addedMemoryBytes).toBeLessThan(130 * megabyte);
    expect(much.peakMemoryBytes).toBeGreaterThan(much.addedMemoryBytes);
    expect(little.addedMemoryBytes).toBeLessThan(20 * megabyte);
  });

  it('are part of an error, too', async () => {
    const error = await failureOf(
      engine().call({ script: fixture('exits.py'), function: 'leave_at_once', args: { code: 3 } }),
    );
    expect(error.details.figures).toMatchObject({ isolation: 'call', launcher });
    expect(error.details.figures?.wallMs).toBeGreaterThan(0);
    expect(error.details.figures?.peakMemoryBytes).toBeGreaterThan(megabyte);
  });
});

describeLaunchers('figures', (makeEngine) => {
  it('give the time that a call waited', async () => {
    const engine = makeEngine({ concurrency: 1 });
    const collected = collectEvents();
    const sleep = { script: fixture('burns_cpu.py'), function: 'sleep', args: { seconds: 0.2 } };
    const [, second] = await Promise.all([engine.call(sleep), engine.call(sleep, { onEvent: collected.onEvent })]);
    expect(collected.events).toContainEqual({ type: 'queued', position: 1 });
    expect(second?.figures.queueMs).toBeGreaterThanOrEqual(195);
  });
});
