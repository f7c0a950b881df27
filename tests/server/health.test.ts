import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HostError } from '../../src/errors.js';
import { type HealthServer, serveHealth } from '../../src/server/health.js';

const open: HealthServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function healthOf(probe: () => Promise<void>) {
  const server = await serveHealth({ port: 0, probe });
  open.push(server);
  const ask = async (path = '/health', method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return {
      status: response.status,
      body: JSON.parse((await response.text()) || '{}'),
      allow: response.headers.get('allow'),
    };
  };
  return ask;
}

describe('/health', () => {
  it('is ready when a probe passes', async () => {
    const ask = await healthOf(async () => {});
    expect(await ask()).toMatchObject({ status: 200, body: { status: 'ready' } });
    expect(await ask('/health?x=1')).toMatchObject({ status: 200 });
  });

  it('is failing with the reason when a probe does not, without details that nobody should see', async () => {
    const foreseen = await healthOf(() => Promise.reject(new HostError('PYTHON_NOT_FOUND', 'No Python was found')));
    expect(await foreseen()).toMatchObject({
      status: 503,
      body: { status: 'failing', reason: 'PYTHON_NOT_FOUND: No Python was found' },
    });
    const unforeseen = await healthOf(() => Promise.reject(new Error('/home/ada/secret')));
    const { status, body } = await unforeseen();
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain('ada');
  });

  it('asks once for many who ask at once', async () => {
    let probes = 0;
    let pass = (): void => {};
    const ask = await healthOf(() => {
      probes++;
      return new Promise((resolve) => {
        pass = resolve;
      });
    });
    const answers = Promise.all([ask(), ask(), ask()]);
    await expect.poll(() => probes).toBe(1);
    pass();
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200]);
    await ask();
    expect(probes).toBe(1);
  });

  it('is starting while the first probe takes its time', async () => {
    const ask = await healthOf(() => new Promise(() => {}));
    expect(await ask()).toMatchObject({ status: 503, body: { status: 'starting' } });
  });

  it('knows no other path and no other method', async () => {
    const ask = await healthOf(async () => {});
    expect(await ask('/')).toMatchObject({ status: 404 });
    expect(await ask('//')).toMatchObject({ status: 404 });
    expect(await ask('/health', 'POST')).toMatchObject({ status: 405, allow: 'GET, HEAD' });
  });

  it('says which port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const port = Number(Object(other.address()).port);
    await expect(serveHealth({ port, probe: async () => {} })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: `--health-port: port ${port} is in use; choose another, or 0 for one that is free`,
    });
    await new Promise((resolve) => other.close(resolve));
  });
});
