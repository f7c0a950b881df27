import { once } from 'node:events';
import { readFile, rename } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CallerError } from '../../../src/errors.js';
import { type AccessLog, createAccessLog } from '../../../src/gateway/observe/access-log.js';
import type { Area } from '../../../src/gateway/parts.js';
import { type GatewaySettings, gatewaySettingsSchema } from '../../../src/gateway/settings.js';
import { createFolder } from '../../interpreter/scripts.js';
import { startApp } from '../harness.js';

describe('the access log', () => {
  it('has a line for each request, with who asked, for what, and what became of it', async () => {
    const { url, lines } = await start();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = { 'x-test-client': 'ada', 'user-agent': 'test/1', traceparent };
    const answer = await fetch(`${url}/api/v1/services/word-count/tools/count`, { method: 'POST', headers });
    const body = await answer.text();
    const [line] = await lines(1);
    expect(line).toMatchObject({
      id: answer.headers.get('x-request-id'),
      ip: '127.0.0.1',
      client: 'ada',
      method: 'POST',
      route: '/api/v1/services/:service/tools/:tool',
      path: '/api/v1/services/word-count/tools/count',
      service: 'word-count',
      tool: 'count',
      status: 200,
      agent: 'test/1',
      trace: '4bf92f3577b34da6a3ce929d0e0e4736',
    });
    expect(line?.bytes).toBeGreaterThan(body.length);
    expect(line?.ms).toBeTypeOf('number');
    expect(new Date(String(line?.time)).toISOString()).toBe(line?.time);
    expect(line).not.toHaveProperty('cut');
  });

  it('names the tool that a body asked for, where a route says so', async () => {
    const { url, lines } = await start();
    await fetch(`${url}/rpc`);
    expect((await lines(1))[0]).toMatchObject({ route: '/rpc', tool: 'from-the-body' });
  });

  it('has no query, no Authorization and no cookie', async () => {
    const { url, lines, text } = await start();
    const headers = { authorization: 'Bearer hidden-1', cookie: 'a=hidden-2', 'x-api-key': 'hidden-3' };
    await fetch(`${url}/rpc?token=hidden-4`, { headers });
    await fetch(`${url}/nowhere?token=hidden-5`, { headers });
    expect((await lines(2)).map(({ path, status }) => [path, status])).toEqual([
      ['/rpc', 200],
      ['/nowhere', 404],
    ]);
    expect(await text()).not.toContain('hidden');
  });

  it('stays one line of bounded size whatever a client writes into its headers and addresses', async () => {
    const { url, lines, text } = await start();
    const agent = `x" , "status":999 \u0085\u2028${'y'.repeat(5000)}`;
    const raw = Buffer.from(agent).toString('latin1').replaceAll('\n', '');
    await get(`${url}/${'z'.repeat(4000)}%0d%0a{"forged":1}`, { 'user-agent': raw });
    const [line] = await lines(1);
    expect(line).toMatchObject({ status: 404 });
    expect(line).not.toHaveProperty('forged');
    expect((await text()).length).toBeLessThan(2000);
    expect((await text()).trimEnd().split('\n')).toHaveLength(1);
  });

  it('says of an answer that the client did not wait for that it was cut', async () => {
    const { url, lines } = await start();
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET /endless HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect((await lines(1))[0]).toMatchObject({ route: '/endless', cut: true });
  });

  it('goes on in a new file after the old one was moved away', async () => {
    const { url, lines, accessLog, file } = await start();
    await fetch(`${url}/rpc`);
    await lines(1);
    await rename(file, `${file}.1`);
    await accessLog.reopen();
    await fetch(`${url}/rpc`);
    expect(await lines(1)).toHaveLength(1);
    expect(await readFile(`${file}.1`, 'utf8')).toContain('"route":"/rpc"');
  });

  it('follows the settings to another file, to none and back', async () => {
    const { url, accessLog, change, file, lines } = await start();
    const other = `${file}.other`;
    change({ accessLog: other });
    await accessLog.reopen();
    await fetch(`${url}/rpc`);
    await lines(1, other);
    change({ accessLog: undefined });
    await accessLog.reopen();
    await fetch(`${url}/rpc`);
    change({ accessLog: other });
    await accessLog.reopen();
    await fetch(`${url}/rpc`);
    expect(await lines(2, other)).toHaveLength(2);
  });

  it('is whole when it was closed', async () => {
    const { url, accessLog, file, close } = await start();
    await Promise.all(Array.from({ length: 50 }, async () => (await fetch(`${url}/rpc`)).text()));
    await close();
    await accessLog.close();
    expect(await linesOf(file)).toHaveLength(50);
  });

  it('is refused where it cannot be written, with the name of the setting', async () => {
    const settings = gatewaySettingsSchema.parse({ accessLog: '/nowhere/access.jsonl' });
    const refusal = await createAccessLog(() => settings).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(CallerError);
    expect(refusal).toMatchObject({ code: 'INVALID_SETTING', details: { setting: 'accessLog' } });
    expect(() => process.emit('exit', 0)).not.toThrow();
  });
});

const routes: Area = (app) => {
  app.post('/api/v1/services/:service/tools/:tool', async () => ({ done: true }));
  app.get('/rpc', async (request) => {
    request.calledTool = 'from-the-body';
    return {};
  });
  app.get('/endless', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200);
    reply.raw.write('first');
  });
};

async function start() {
  const file = join(await createFolder(), 'access.jsonl');
  let settings: GatewaySettings = gatewaySettingsSchema.parse({ accessLog: file });
  const accessLog: AccessLog = await createAccessLog(() => settings);
  onTestFinished(() => accessLog.close());
  const register: Area = (app) => accessLog.register(app);
  const { url, close } = await startApp([register, routes]);
  return {
    url,
    file,
    close,
    accessLog,
    change(changed: Partial<GatewaySettings>) {
      settings = { ...settings, ...changed };
    },
    text: () => readFile(file, 'utf8'),
    async lines(count: number, from = file) {
      await expect.poll(async () => (await linesOf(from)).length, { interval: 5, timeout: 10_000 }).toBe(count);
      return linesOf(from);
    },
  };
}

async function linesOf(file: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function get(url: string, headers: Record<string, string>): Promise<void> {
  const [answer] = await once(httpRequest(url, { headers }).end(), 'response');
  answer.resume();
  await once(answer, 'end');
}
