import { expect, it } from 'vitest';
import { describeWithEngine } from '../engine/harness.js';
import { describeStrict, endOf, scriptOf } from './strict.js';

const megabyte = 1024 * 1024;
const memoryBytes = 64 * megabyte;
const wanted = 4 * (memoryBytes / megabyte);
const maxOpenFiles = 64;
/** Memory that is mapped as shared has some room beyond the limit, and a process some use for memory of its own. */
const mostBytes = memoryBytes + 40 * megabyte;

describeWithEngine('a script that nothing holds back', { profile: 'trusted', memoryBytes, maxOpenFiles }, (engine) => {
  it.each(['shared_mapping', 'memory_file', 'segments', 'after_raising_limits'])(
    'takes more memory than its limit (%s)',
    async (way) => {
      const take = { script: scriptOf('takes_memory'), function: 'take', args: { way, megabytes: wanted } };
      expect((await engine().call(take)).value).toBeGreaterThanOrEqual(wanted);
    },
  );

  it('opens more files than its limit', async () => {
    const take = { script: scriptOf('opens_too_many_files'), function: 'take', args: { wanted: 200 } };
    expect((await engine().call(take)).value).toBeGreaterThanOrEqual(200);
  });
});

describeStrict('a script in the sandbox', { memoryBytes, maxOpenFiles }, (engine) => {
  const script = scriptOf('takes_memory');
  it.each([
    'heap',
    'private_mapping',
    'shared_mapping',
    'memory_file',
    'nameless_file',
    'segments',
    'after_raising_limits',
    'in_sockets',
    'in_pipes',
  ])('cannot take more memory than its limit (%s)', async (way) => {
    const args = { way, megabytes: wanted };
    const { value, code, figures } = await endOf(engine().call({ script, function: 'take', args }));
    if (code !== undefined) expect(['MEMORY_LIMIT', 'PROCESS_FAILED', 'DISK_LIMIT']).toContain(code);
    expect(Number(value ?? 0) * megabyte).toBeLessThanOrEqual(mostBytes);
    expect(figures?.addedMemoryBytes).toBeLessThanOrEqual(mostBytes);
    expect(figures?.enforced.memory).toBe('enforced');
  });

  it('cannot open more files than its limit', async () => {
    const take = { script: scriptOf('opens_too_many_files'), function: 'take', args: { wanted: 200 } };
    expect((await engine().call(take)).value).toBeLessThan(maxOpenFiles);
  });
});
