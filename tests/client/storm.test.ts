import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExecutionError } from '../../src/errors.js';
import { guards, isAlive, open, textOf, until } from './harness.js';

describe.each(await guards())('processes that are killed at random, $name,', ({ python }) => {
  it('leave each call with its own answer or a clear error, and the next call works', async () => {
    const toolbox = open('echoes_with_its_process.mjs', { stateless: true, maxProcesses: 3 }, { python });
    const pids = new Set<number>();
    const [random] = fc.sample(fc.infiniteStream(fc.nat(99)), 1);
    const outcomes: string[] = [];
    const callMany = async (client: number) => {
      for (let number = 0; number < 60; number++) {
        const value = `${client}/${number}`;
        const outcome = await toolbox.call('echo', { value }).then(
          (result) => {
            const said = JSON.parse(textOf(result));
            pids.add(said.pid);
            expect(said.value).toBe(value);
            return 'answered';
          },
          (error: unknown) => (error instanceof ExecutionError ? error.code : String(error)),
        );
        outcomes.push(outcome);
        if (Number(random?.next().value) < 5) kill([...pids].find(isAlive));
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, client) => callMany(client)));
    expect(outcomes.filter((outcome) => outcome !== 'answered' && outcome !== 'SERVER_FAILED')).toEqual([]);
    expect(toolbox.status().crashes).toBeGreaterThan(0);
    expect(outcomes.length).toBe(360);
    await until(() => toolbox.status().busy === 0);
    const again = async () => (await toolbox.call('echo', {}).catch(() => undefined)) !== undefined;
    await expect.poll(again).toBe(true);
    await toolbox.close();
    expect([...pids].filter(isAlive)).toEqual([]);
  });
});

describe('clients that vanish', () => {
  it('leave no process at work', async () => {
    const [{ python } = {}] = await guards();
    const toolbox = open('ignores_cancel.mjs', { stateless: true, maxProcesses: 3 }, { python });
    const pids = new Set<number>();
    for (let client = 0; client < 15; client++) {
      pids.add(Number(textOf(await toolbox.call('pid', {}))));
      await toolbox.call('deaf', {}, { timeoutMs: 5 }).catch(() => {});
    }
    await until(() => [...pids].filter(isAlive).length <= 1);
    expect(toolbox.status().crashes).toBe(0);
  });
});

function kill(pid: number | undefined): void {
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}
