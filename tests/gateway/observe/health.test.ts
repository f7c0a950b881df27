import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../src/gateway/access/principal.js';
import { registerHealth } from '../../../src/gateway/observe/health.js';
import type { Service } from '../../../src/gateway/service.js';
import { FakeToolbox } from '../../server/fake-toolbox.js';
import { createFakeServices, everybody, startApp } from '../harness.js';

describe('/health/live', () => {
  it('is 200 while the loop runs, whatever becomes of the services', async () => {
    const { get } = await start({ broken: { state: 'failing' } });
    expect(await get('/health/live')).toEqual({ status: 200, body: { status: 'live' } });
  });
});

describe('/health/ready', () => {
  it('is 200 when a call has lately passed through every service', async () => {
    const { get } = await start({ one: fresh(), two: fresh() });
    expect(await get('/health/ready')).toMatchObject({
      status: 200,
      body: {
        status: 'ready',
        services: [
          { id: 'one', status: 'ready' },
          { id: 'two', status: 'ready' },
        ],
      },
    });
  });

  it.each<[string, Partial<Service>, string, RegExp]>([
    ['starts', { state: 'starting', reason: 'No call has passed through yet' }, 'starting', /No call has passed/],
    ['fails', { state: 'failing', reason: 'SERVER_FAILED: it died' }, 'failing', /SERVER_FAILED: it died/],
    ['has its breaker open', { ...fresh(), breaker: 'open' }, 'failing', /failed repeatedly/],
    ['was never checked', { state: 'ready' }, 'failing', /lately/],
    ['was last checked long ago', { state: 'ready', probedAt: Date.now() - 3_600_000 }, 'failing', /lately/],
  ])('is 503 while a service %s, and says which and why', async (_, change, status, reason) => {
    const { get } = await start({ good: fresh(), bad: change });
    const answer = await get('/health/ready');
    expect(answer).toMatchObject({ status: 503, body: { status, reason: 'Not ready: bad' } });
    expect(answer.body.services).toContainEqual({ id: 'bad', status, reason: expect.stringMatching(reason) });
  });

  it('believes a service that is at work and has no process to spare for a check', async () => {
    const processes = { idle: 0, busy: 8, starts: 8, crashes: 0 };
    const { get } = await start({ busy: { state: 'ready', probedAt: Date.now() - 3_600_000, processes } });
    expect((await get('/health/ready')).status).toBe(200);
  });

  it('does not ask for what somebody uploaded, or an administrator drained', async () => {
    const { get } = await start({
      good: fresh(),
      uploaded: {
        state: 'failing',
        definition: { id: 'uploaded', owner: 'tenant', source: { kind: 'script', targets: [] } },
      },
      drained: { state: 'draining' },
    });
    expect((await get('/health/ready')).status).toBe(200);
  });

  it('is 503 while the gateway is ended', async () => {
    const closing = new AbortController();
    const { get } = await start({ good: fresh() }, { closing: closing.signal });
    closing.abort();
    expect(await get('/health/ready')).toMatchObject({ status: 503, body: { status: 'draining' } });
  });

  it('is 503 while every service is drained, as all are before the gateway ends', async () => {
    const { get } = await start({ one: { state: 'draining' }, two: { state: 'draining' } });
    expect(await get('/health/ready')).toMatchObject({ status: 503, body: { status: 'draining' } });
  });

  it('tells strangers no more than the status, and others of the services they may see', async () => {
    const principals: Readonly<Record<string, Principal>> = {
      stranger: { ...everybody, scopes: new Set() },
      tenant: { ...everybody, scopes: new Set(['call']), services: ['mine-*'] },
    };
    const principalFor = (client = '') => principals[client] ?? everybody;
    const { get } = await start({ 'mine-1': fresh(), theirs: { state: 'failing' } }, {}, principalFor);
    expect(await get('/health/ready', 'stranger')).toEqual({ status: 503, body: { status: 'failing' } });
    const told = await get('/health/ready', 'tenant');
    expect(told.body.services).toEqual([{ id: 'mine-1', status: 'ready' }]);
    expect(JSON.stringify(told.body)).not.toContain('theirs');
  });
});

describe('/api/v1/services/{id}/health', () => {
  it('shows state, breaker, processes and the last check', async () => {
    const probedAt = Date.now();
    const { get } = await start({ one: { state: 'ready', probedAt, probeMs: 4, breaker: 'half-open' } });
    expect(await get('/api/v1/services/one/health')).toEqual({
      status: 200,
      body: {
        id: 'one',
        status: 'ready',
        breaker: 'half-open',
        processes: { idle: 1, busy: 0, starts: 1, crashes: 0 },
        probedAt: new Date(probedAt).toISOString(),
        probeMs: 4,
      },
    });
  });

  it('is 503 with the reason while it fails', async () => {
    const { get } = await start({ one: { state: 'failing', reason: 'it died' } });
    expect(await get('/api/v1/services/one/health')).toMatchObject({
      status: 503,
      body: { status: 'failing', reason: 'it died' },
    });
  });

  it('makes a real call when asked to check now', async () => {
    const services = createFakeServices({});
    services.set('one', new FakeToolbox(), { state: 'starting' });
    const checked: string[] = [];
    const check = async (id: string) => {
      checked.push(id);
      services.set('one', new FakeToolbox(), fresh());
      return services.get(id);
    };
    const { url } = await startApp([registerHealth], { parts: { services: { ...services, check } } });
    expect((await fetch(`${url}/api/v1/services/one/health`)).status).toBe(503);
    expect((await fetch(`${url}/api/v1/services/one/health?check=now`)).status).toBe(200);
    expect(checked).toEqual(['one']);
  });

  it('is 404 for a service that is not there', async () => {
    const { get } = await start({});
    expect(await get('/api/v1/services/none/health')).toMatchObject({
      status: 404,
      body: { error: { code: 'UNKNOWN_SERVICE' } },
    });
  });
});

function fresh(): Partial<Service> {
  return { state: 'ready', probedAt: Date.now(), probeMs: 1 };
}

async function start(
  states: Readonly<Record<string, Partial<Service>>>,
  parts: { readonly closing?: AbortSignal } = {},
  principalFor?: (client?: string) => Principal,
) {
  const services = createFakeServices({});
  for (const [id, change] of Object.entries(states)) services.set(id, new FakeToolbox(), change);
  const { url } = await startApp([registerHealth], { principalFor, parts: { services, ...parts } });
  return {
    async get(path: string, client = 'somebody') {
      const answer = await fetch(`${url}${path}`, { headers: { 'x-test-client': client } });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    },
  };
}
