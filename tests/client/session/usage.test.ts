import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSession } from '../../../src/client/session/session.js';
import { readUsage } from '../../../src/client/session/usage.js';
import { readRows } from '../../../src/client/session/usage-ps.js';
import type { TestedServer } from '../../../src/testedserver.js';
import { guards, isAlive, until } from '../harness.js';
import { call, commandOf, textOf } from './sessions.js';

const megabyte = 1024 * 1024;

describe.skipIf(process.platform === 'win32').each(await guards())('$name', ({ python }) => {
  let server: TestedServer;
  beforeAll(async () => {
    server = await openSession(commandOf('broken_server.mjs'), { python });
  });
  afterAll(() => server.close());

  test('memory, time and processes are those of the server, not of this process', async () => {
    const before = await server.usage();
    expect(before).toMatchObject({ processes: 1 });
    expect(before?.memoryBytes).toBeGreaterThan(2 * megabyte);
    await call(server, 'memory_hog', { megabytes: 32 });
    await call(server, 'burns_cpu', { ms: 60 });
    const after = await server.usage();
    expect((after?.memoryBytes ?? 0) - (before?.memoryBytes ?? 0)).toBeGreaterThan(28 * megabyte);
    expect((after?.cpuMs ?? 0) - (before?.cpuMs ?? 0)).toBeGreaterThanOrEqual(50);
  });

  test('the way of other systems sees the same, whoever else runs the same program', async () => {
    const usage = await readUsage({ pid: server.pid }, 'ps');
    expect(usage?.processes).toBe(1);
    expect(usage?.memoryBytes).toBeGreaterThan(2 * megabyte);
    const own = await server.usage();
    expect(Math.abs((usage?.memoryBytes ?? 0) - (own?.memoryBytes ?? 0))).toBeLessThan(8 * megabyte);
  });

  test('what the server started is counted, and is gone with it', async () => {
    const child = Number(textOf(await call(server, 'leaves_a_child')));
    expect(isAlive(child)).toBe(true);
    const before = await server.usage();
    expect(before).toMatchObject({ processes: 2 });
    expect(await readUsage({ pid: server.pid }, 'ps')).toMatchObject({ processes: 2 });
    await call(server, 'burns_cpu', { ms: 60 });
    await server.close();
    if (python === undefined) process.kill(child);
    await until(() => !isAlive(child));
    const last = await server.usage();
    expect(last).toMatchObject({ processes: 2 });
    expect((last?.cpuMs ?? 0) - (before?.cpuMs ?? 0)).toBeGreaterThanOrEqual(50);
  });
});

test('of a process that is gone, or cannot be seen, nothing is told', async () => {
  expect(await readUsage({ pid: 2 ** 22 + 1 }, 'proc')).toBeUndefined();
  expect(await readUsage({ pid: 2 ** 22 + 1 }, 'ps')).toBeUndefined();
  expect(await readUsage({ pid: process.pid }, 'none')).toBeUndefined();
  expect(await readUsage({ pid: undefined })).toBeUndefined();
});

test('lines of ps are read in the forms of Linux and macOS', () => {
  expect(
    readRows('    1     0  12000 00:00:05\n  502   1 204800   1:02.50\n 77 502 10 2-03:00:00\nno process\n'),
  ).toEqual([
    { pid: 1, parent: 0, memoryBytes: 12_288_000, cpuMs: 5000 },
    { pid: 502, parent: 1, memoryBytes: 209_715_200, cpuMs: 62_500 },
    { pid: 77, parent: 502, memoryBytes: 10_240, cpuMs: 183_600_000 },
  ]);
});
