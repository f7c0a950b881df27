import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openDataFolder } from '../../../src/gateway/uploads/data-folder.js';
import { openUploadStore } from '../../../src/gateway/uploads/store.js';
import { filesIn, temporaryFolder } from './folders.js';
import { buildProgram, type Program, startProgram } from './processes.js';

let program = '';
beforeAll(() => {
  program = buildProgram('takes-uploads');
});

it('a gateway that is killed in the middle of uploads has all finished ones when it starts again, and nothing else', async () => {
  const path = join(await temporaryFolder(), 'data');
  const kept = await withGateway(path, async (url) => {
    await send(url, 'POST', '?id=one', 'def one(): ...');
    await send(url, 'POST', '?id=two&only=two', 'def two(): ...\ndef more(): ...');
    return true;
  });
  expect(kept).toBe(true);
  const before = await stateOf(path);
  expect(before.ids).toEqual(['one', 'two']);

  await withGateway(path, async (url, gateway) => {
    void send(url, 'POST', '?id=three', 'def stops_when_read(): ...').catch(() => undefined);
    expect(await gateway.nextLine()).toBe('{"stage":"reading"}');
  });
  expect(await stateOf(path)).toEqual(before);

  await withGateway(path, async (url, gateway) => {
    const query = '?id=four&only=stops_when_opened';
    void send(url, 'POST', query, 'def stops_when_opened(): ...').catch(() => undefined);
    expect(await gateway.nextLine()).toBe('{"stage":"opening"}');
  });
  expect(await stateOf(path)).toEqual(before);

  await withGateway(path, async (url, gateway) => {
    void send(url, 'PUT', '/one', 'def stops_when_read(): ...').catch(() => undefined);
    expect(await gateway.nextLine()).toBe('{"stage":"reading"}');
  });
  expect(await stateOf(path)).toEqual(before);

  await withGateway(path, async (url) => {
    const half = httpRequest(`${url}/api/v1/services?id=five`, {
      method: 'POST',
      headers: { 'content-type': 'text/x-python', 'content-length': 1000 },
    });
    half.on('error', () => undefined);
    half.write('def half');
    await expect.poll(async () => Object.values(await filesIn(join(path, 'unfinished')))).toContain('def half');
  });
  expect(await stateOf(path)).toEqual(before);
});

/** Starts one on the folder, and kills it when the work is done. */
async function withGateway<T>(path: string, work: (url: string, gateway: Program) => Promise<T>): Promise<T> {
  const gateway = startProgram(program, path);
  const { url } = JSON.parse(await gateway.nextLine());
  try {
    return await work(url, gateway);
  } finally {
    await gateway.kill();
  }
}

async function send(url: string, method: string, rest: string, script: string): Promise<void> {
  const headers = { 'content-type': 'text/x-python' };
  const response = await fetch(`${url}/api/v1/services${rest}`, { method, headers, body: script });
  expect(response.ok).toBe(true);
}

async function stateOf(path: string) {
  const store = await openUploadStore(await openDataFolder(path));
  try {
    const unfinished = await readdir(join(path, 'unfinished'));
    expect([unfinished, store.problems]).toEqual([[], []]);
    const ids = store.definitions().map(({ id }) => id);
    return { ids: ids.sort(), files: await filesIn(join(path, 'services')) };
  } finally {
    await store.close();
  }
}
