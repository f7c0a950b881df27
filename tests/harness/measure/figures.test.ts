import { expect, test } from 'vitest';
import { createFigures } from '../../../src/harness/measure/figures.js';
import { FakeServer } from '../fakes.js';

const megabyte = 1024 * 1024;
const patiently = { interval: 10, timeout: 10_000 };

test('the memory of a server while something is done is the most that was seen of it', async () => {
  let memoryBytes = 10 * megabyte;
  const server = new FakeServer({ pid: 1, usage: () => ({ memoryBytes, cpuMs: 0, processes: 1 }) });
  const figures = createFigures();
  const done = await figures.peakMemoryDuring(server, async () => {
    memoryBytes = 50 * megabyte;
    return 'done';
  });
  expect(done).toEqual({ value: 'done', bytes: 50 * megabyte });
  memoryBytes = 20 * megabyte;
  expect(await figures.peakMemoryDuring(server, async () => 'again')).toMatchObject({ bytes: 20 * megabyte });
});

test('of a server at an address nothing is measured', async () => {
  const figures = createFigures();
  const server = new FakeServer();
  figures.watch(server);
  expect(await figures.peakMemoryDuring(server, async () => 1)).toEqual({ value: 1 });
  expect(await figures.finish()).toEqual({ tools: [] });
});

test('work that fails is passed on', async () => {
  const server = new FakeServer({ pid: 1, usage: () => ({ memoryBytes: 1, cpuMs: 0, processes: 1 }) });
  const work = () => Promise.reject(new Error('no luck'));
  await expect(createFigures().peakMemoryDuring(server, work)).rejects.toThrow('no luck');
});

test('servers that were watched tell their largest memory, and the time of all', async () => {
  const figures = createFigures();
  let looks = 0;
  const usage = (memoryBytes: number, cpuMs: number) => () => {
    looks += 1;
    return { memoryBytes, cpuMs, processes: 1 };
  };
  const first = new FakeServer({ pid: 1, usage: usage(30, 100) });
  figures.watch(first);
  await expect.poll(() => looks, patiently).toBeGreaterThan(0);
  await first.close();
  const before = looks;
  figures.watch(new FakeServer({ pid: 2, usage: usage(20, 50) }));
  await expect.poll(() => looks, patiently).toBeGreaterThan(before + 1);
  expect((await figures.finish()).server).toMatchObject({ peakMemoryBytes: 30, cpuMs: 150 });
});

test('what a server took until it was closed counts, however short it was there, and of however many', async () => {
  const figures = createFigures();
  const servers = Array.from({ length: 20 }, () => {
    let cpuMs = 10;
    let memoryBytes = megabyte;
    const server = new FakeServer({ pid: 1, usage: () => ({ memoryBytes, cpuMs, processes: 1 }) });
    figures.watch(server);
    return {
      server,
      work() {
        cpuMs = 70;
        memoryBytes = 3 * megabyte;
      },
    };
  });
  for (const { server, work } of servers) {
    work();
    await server.close();
  }
  expect((await figures.finish()).server).toMatchObject({ peakMemoryBytes: 3 * megabyte, cpuMs: 20 * 70 });
});

test('the time of a process that several sessions share counts once', async () => {
  const figures = createFigures();
  const served = { process: {}, isShared: true };
  const sessions = [100, 120].map(
    (cpuMs) => new FakeServer({ pid: 1, served, usage: () => ({ memoryBytes: megabyte, cpuMs, processes: 1 }) }),
  );
  for (const session of sessions) figures.watch(session);
  for (const session of sessions) await session.close();
  expect((await figures.finish()).server).toMatchObject({ cpuMs: 120 });
});
