import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { type AdminParts, registerAdmin } from '../../../src/gateway/admin/admin.js';
import type { AuditEntry } from '../../../src/gateway/observe/audit.js';
import type { CallRecord, ConnectionRecord } from '../../../src/gateway/parts.js';
import type { Services } from '../../../src/gateway/service.js';
import { createLog } from '../../../src/log.js';
import { FakeToolbox } from '../../server/fake-toolbox.js';
import { createFakeServices, startApp } from '../harness.js';

describe('an administrator', () => {
  it.each(['restart', 'drain', 'resume', 'recycle'] as const)('%ss a service, which is on record', async (action) => {
    const asked: string[] = [];
    const { ask, entries } = await start({ services: { [action]: async (id: string) => void asked.push(id) } });
    expect(await ask('POST', `/api/v1/admin/services/one/${action}`)).toEqual({
      status: 200,
      body: { id: 'one', status: 'ready', breaker: 'closed', processes: { idle: 1, busy: 0, starts: 1, crashes: 0 } },
    });
    expect(asked).toEqual(['one']);
    expect(entries).toEqual([
      { who: { id: 'root', name: 'root' }, action: `service.${action}`, subject: 'one', outcome: 'done' },
    ]);
  });

  it('learns of a service that is not there, which is on record too', async () => {
    const { ask, entries } = await start();
    expect(await ask('POST', '/api/v1/admin/services/none/restart')).toMatchObject({
      status: 404,
      body: { error: { code: 'UNKNOWN_SERVICE' } },
    });
    expect(entries).toMatchObject([{ subject: 'none', outcome: 'UNKNOWN_SERVICE' }]);
  });

  it('learns why a restart failed', async () => {
    const restart = () => Promise.reject(new HostError('SERVER_FAILED', 'It does not start'));
    const { ask, entries } = await start({ services: { restart } });
    expect(await ask('POST', '/api/v1/admin/services/one/restart')).toMatchObject({
      status: 502,
      body: { error: { code: 'SERVER_FAILED', message: 'It does not start' } },
    });
    expect(entries).toMatchObject([{ outcome: 'SERVER_FAILED' }]);
  });

  it('sees the requests in flight and cancels one', async () => {
    const cancelled: string[] = [];
    const { ask, entries } = await start({
      calls: { list: () => [request], cancel: (id) => id === 'r1' && cancelled.push(id) > 0 },
    });
    expect(await ask('GET', '/api/v1/admin/requests')).toEqual({ status: 200, body: { requests: [request] } });
    expect(await ask('DELETE', '/api/v1/admin/requests/r1')).toEqual({
      status: 200,
      body: { id: 'r1', cancelled: true },
    });
    expect(await ask('DELETE', '/api/v1/admin/requests/r2')).toMatchObject({ status: 404 });
    expect(cancelled).toEqual(['r1']);
    expect(entries.map(({ action, subject, outcome }) => [action, subject, outcome])).toEqual([
      ['request.cancel', 'r1', 'done'],
      ['request.cancel', 'r2', 'UNKNOWN_SERVICE'],
    ]);
  });

  it('sees what is open', async () => {
    const { ask } = await start({}, [connection]);
    expect(await ask('GET', '/api/v1/admin/connections')).toEqual({ status: 200, body: { connections: [connection] } });
  });

  it('sets the level of the log, at once', async () => {
    const log = createLog({ level: 'warn', write: () => undefined });
    const { ask, entries } = await start({ adjustableLog: log });
    expect(await ask('GET', '/api/v1/admin/log-level')).toEqual({ status: 200, body: { level: 'warn' } });
    expect(await ask('PUT', '/api/v1/admin/log-level', { level: 'debug' })).toEqual({
      status: 200,
      body: { level: 'debug' },
    });
    expect(log.level).toBe('debug');
    expect(entries).toMatchObject([{ action: 'log-level.set', subject: 'debug', outcome: 'done' }]);
  });

  it.each([[{ level: 'loud' }], [{}], [null], [{ level: 'debug', more: 1 }], ['debug']])(
    'is told what a level is for %j',
    async (body) => {
      const { ask } = await start({ adjustableLog: createLog({ level: 'warn', write: () => undefined }) });
      const { status, body: answer } = await ask('PUT', '/api/v1/admin/log-level', body);
      expect(status).toBe(400);
      expect(JSON.stringify(answer)).toContain('silent, error, warn, info, debug');
    },
  );

  it('is told where the level cannot be set', async () => {
    const { ask } = await start();
    expect(await ask('PUT', '/api/v1/admin/log-level', { level: 'debug' })).toMatchObject({ status: 409 });
  });
});

describe('every address of administrators', () => {
  it('asks for the scope admin', async () => {
    const scopes: unknown[] = [];
    await startApp([
      (app) => {
        app.addHook('onRoute', ({ config }) => void scopes.push(config?.scope));
      },
      (app, parts) => registerAdmin(app, { ...parts, audit: { record: async () => {}, close: async () => {} } }),
    ]);
    expect(scopes.length).toBeGreaterThanOrEqual(9);
    expect(new Set(scopes)).toEqual(new Set(['admin']));
  });
});

const request: CallRecord = {
  id: 'r1',
  service: 'one',
  tool: 'count',
  client: 'ada',
  transport: 'rest',
  state: 'running',
  askedAt: '2026-01-01T00:00:00.000Z',
  ms: 5,
};

const connection: ConnectionRecord = { kind: 'stream', client: 'ada', openedAt: '2026-01-01T00:00:00.000Z' };

type Changes = Partial<Pick<AdminParts, 'calls' | 'adjustableLog'>> & { readonly services?: Partial<Services> };

async function start(changes: Changes = {}, connections?: readonly ConnectionRecord[]) {
  const entries: AuditEntry[] = [];
  const audit = { record: async (entry: AuditEntry) => void entries.push(entry), close: async () => {} };
  const { services: changed, ...others } = changes;
  const services = { ...createFakeServices({ one: new FakeToolbox() }), ...changed };
  const { url } = await startApp([
    (app, parts) => {
      const listed = connections && { connections: { ...parts.connections, list: () => connections } };
      registerAdmin(app, { ...parts, services, audit, ...others, ...listed });
    },
  ]);
  return {
    entries,
    async ask(method: string, path: string, body?: unknown) {
      const headers = { 'x-test-client': 'root', ...(body !== undefined && { 'content-type': 'application/json' }) };
      const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    },
  };
}
