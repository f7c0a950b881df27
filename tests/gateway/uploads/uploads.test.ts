import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { expect, it, vi } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { openUploads } from '../../../src/gateway/uploads/uploads.js';
import { FakeToolbox } from '../../server/fake-toolbox.js';
import { startUploads } from './app.js';
import { filesIn } from './folders.js';
import { calc, uploader } from './uploaders.js';

const principalFor = (client = 'ann') => uploader(client);

it('a script that is uploaded is a service with its tools, strict, and belongs to who sent it', async () => {
  const app = await startUploads({ principalFor });
  const fields = { name: 'Calculator', description: 'Adds.' };
  const { status, headers, body } = await app.send('POST', '/api/v1/services', calc, 'my calc.py', { fields });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe('/api/v1/services/my-calc');
  expect(body).toMatchObject({ id: 'my-calc', name: 'Calculator', owner: 'ann', kind: 'script', problems: [] });
  expect(body.tools).toEqual([
    { name: 'add', enabled: true, inputSchema: { type: 'object' } },
    { name: '_hidden', enabled: false, why: 'Its name begins with an underscore.', inputSchema: { type: 'object' } },
  ]);
  const [definition] = app.services.opened;
  expect(definition).toMatchObject({ id: 'my-calc', owner: 'ann', settings: { profile: 'strict' } });
  const targets = [join(app.folder, 'services', 'my-calc', body.version, 'my calc.py')];
  expect(definition?.source).toEqual({ kind: 'script', targets });
  expect(app.store.definitions()).toEqual([definition]);
  expect(await readdir(join(app.folder, 'unfinished'))).toEqual([]);
  expect(app.audit).toMatchObject([
    { who: { id: 'ann' }, action: 'service.upload', subject: 'my-calc', outcome: 'done' },
  ]);
});

it('an archive that is uploaded is a folder of scripts', async () => {
  const app = await startUploads({ principalFor });
  const archive = zipSync({ 'p/a.py': Buffer.from('def a(): ...'), 'p/lib/b.py': Buffer.from('def b(): ...') });
  const { status, body } = await app.send('POST', '/api/v1/services', new Blob([archive]), 'tools.zip', {
    fields: { only: 'b', id: 'mine' },
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({ id: 'mine', kind: 'archive', files: 2, only: ['b'] });
  const folder = join(app.folder, 'services', 'mine', body.version);
  expect(app.services.opened[0]?.source).toEqual({ kind: 'script', targets: [folder], only: ['b'] });
  expect(Object.keys(await filesIn(folder)).sort()).toEqual(['a.py', 'lib/b.py']);
});

it.each([
  ['text/x-python', '?id=raw', 'raw'],
  ['text/x-python; charset=utf-8', '?filename=other.py', 'other'],
  ['application/octet-stream', '?filename=folder/third.py&exclude=_hidden', 'third'],
])('a body of type %s with %s is taken as it is', async (type, query, id) => {
  const app = await startUploads({ principalFor });
  const headers = { 'content-type': type };
  const { status, body } = await app.ask('POST', `/api/v1/services${query}`, { body: calc, headers });
  expect([status, body.id]).toEqual([201, id]);
});

it('a dry run shows the tools and keeps nothing', async () => {
  const app = await startUploads({ principalFor });
  const { status, body } = await app.send('POST', '/api/v1/services?dryRun=true', calc, 'calc.py');
  expect(status).toBe(200);
  expect(body).toMatchObject({ dryRun: true, id: 'calc', bytes: 38 });
  expect(body.tools).toHaveLength(2);
  expect(app.services.opened).toEqual([]);
  expect(await filesIn(join(app.folder, 'services'))).toEqual({});
  expect(await readdir(join(app.folder, 'unfinished'))).toEqual([]);
});

it('what cannot be served is refused with its problems, without places on the disk, and nothing is kept', async () => {
  const app = await startUploads({ principalFor });
  const { status, body } = await app.send('POST', '/api/v1/services', new Blob(['syntax error']), 'calc.py');
  expect(status).toBe(422);
  expect(body.error.message).toBe('Nothing of the upload can be served: calc.py, line 1: invalid syntax');
  const hidden = await app.send('POST', '/api/v1/services', new Blob(['def _a(): ...']), 'calc.py');
  expect(hidden.body.error.message).toContain('_a: Its name begins with an underscore.');
  expect(await readdir(join(app.folder, 'services'))).toEqual([]);
  expect(app.store.isTaken('calc')).toBe(false);
  expect(app.audit.map(({ outcome, subject }) => [outcome, subject])).toEqual([
    ['INVALID_SCRIPT', 'calc.py'],
    ['INVALID_SCRIPT', 'calc.py'],
  ]);
});

it('an id that is taken is refused, whoever has it and in whatever case', async () => {
  const app = await startUploads({ principalFor });
  await app.send('POST', '/api/v1/services', calc, 'calc.py');
  app.services.set('given', new FakeToolbox());
  for (const id of ['calc', 'CALC', 'given']) {
    const { status, body } = await app.send('POST', '/api/v1/services', calc, 'x.py', {
      client: 'bob',
      fields: { id },
    });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(JSON.stringify(body)).not.toContain('ann');
  }
});

it('of uploads of one id at once one wins, and the others find it taken', async () => {
  const app = await startUploads({ principalFor });
  const clients = ['ann', 'bob', 'eve', 'joe'];
  const answers = await Promise.all(
    clients.map((client) =>
      app.send('POST', '/api/v1/services', new Blob([`def ${client}(): ...`]), 'calc.py', { client }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  const winner = answers.find(({ status }) => status === 201)?.body;
  const kept = await filesIn(join(app.folder, 'services', 'calc'));
  expect(kept[`${winner?.version}/calc.py`]).toBe(`def ${winner?.owner}(): ...`);
  expect(Object.keys(kept)).toHaveLength(2);
});

it('a replacement keeps the choices, and the old files stay until the last call on them is over', async () => {
  const app = await startUploads({ principalFor });
  const first = await app.send('POST', '/api/v1/services', calc, 'calc.py', { fields: { only: 'add', name: 'Calc' } });
  const next = new Blob(['def add(a): ...\ndef more(): ...\n']);
  const { status, body } = await app.send('PUT', '/api/v1/services/calc', next, 'calc2.py');
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: 'calc', name: 'Calc', only: ['add'], createdAt: first.body.createdAt });
  const versions = async () =>
    (await readdir(join(app.folder, 'services', 'calc'))).filter((name) => name !== 'service.json');
  expect((await versions()).sort()).toEqual([first.body.version, body.version].sort());
  app.services.retireAll();
  await vi.waitFor(async () => expect(await versions()).toEqual([body.version]));
  expect(app.store.definitions()).toEqual([app.services.opened[1]]);
});

it('a replacement that cannot be opened changes nothing', async () => {
  const app = await startUploads({ principalFor });
  await app.send('POST', '/api/v1/services', calc, 'calc.py');
  const before = await filesIn(join(app.folder, 'services'));
  app.services.failNext = new HostError('SPAWN_FAILED', 'No process could be started');
  expect((await app.send('PUT', '/api/v1/services/calc', new Blob(['def b(): ...']), 'calc.py')).status).toBe(503);
  const lost = await app.send('PUT', '/api/v1/services/calc', new Blob(['syntax error']), 'calc.py');
  expect(lost.status).toBe(422);
  expect(await filesIn(join(app.folder, 'services'))).toEqual(before);
});

it('a replacement that cannot be written down is taken back, and the old files stay', async () => {
  const app = await startUploads({ principalFor });
  await app.send('POST', '/api/v1/services', calc, 'calc.py');
  const [before] = app.store.definitions();
  const failing = { ...app.store, save: () => Promise.reject(new Error('the disk is gone')) };
  const second = await startUploads({ principalFor, deps: { store: failing } });
  await second.services.add(before ?? { id: 'calc', source: { kind: 'script', targets: [] } });
  expect((await second.send('PUT', '/api/v1/services/calc', new Blob(['def b(): ...']), 'b.py')).status).toBe(500);
  expect(second.services.get('calc').definition).toEqual(before);
  second.services.retireAll();
  const kept = join(app.folder, 'services', 'calc');
  await vi.waitFor(async () => expect(Object.keys(await filesIn(kept))).toHaveLength(2));
  expect(app.store.definitions()).toEqual([before]);
  expect(before?.source).toMatchObject({ targets: [join(kept, app.store.get('calc')?.version ?? '', 'calc.py')] });
});

it('services that were uploaded are back when the folder is opened again', async () => {
  const app = await startUploads({ principalFor });
  await app.send('POST', '/api/v1/services', calc, 'one.py', { fields: { name: 'One' } });
  const archive = new Blob([zipSync({ 'a.py': Buffer.from('def a(): ...') })]);
  await app.send('POST', '/api/v1/services', archive, 'two.zip', { client: 'bob' });
  const before = app.store.definitions();
  await app.close();
  const uploads = await openUploads({ data: app.folder, audit: { record: async () => {} } });
  expect([...uploads.definitions].sort((a, b) => a.id.localeCompare(b.id))).toEqual(before);
  expect([uploads.keys, uploads.problems]).toEqual([[], []]);
  await uploads.close();
});

it('an upload that cannot be opened leaves nothing', async () => {
  const app = await startUploads({ principalFor });
  app.services.failNext = new HostError('SANDBOX_UNAVAILABLE', 'This machine cannot be strict');
  const { status, body } = await app.send('POST', '/api/v1/services', calc, 'calc.py');
  expect([status, body.error.code]).toEqual([503, 'SANDBOX_UNAVAILABLE']);
  expect(await readdir(join(app.folder, 'services'))).toEqual([]);
  expect((await app.send('POST', '/api/v1/services', calc, 'calc.py')).status).toBe(201);
});

it('a choice of functions is kept, and null takes it back', async () => {
  const app = await startUploads({ principalFor });
  await app.send('POST', '/api/v1/services', new Blob(['def a(): ...\ndef b(): ...']), 'calc.py');
  const patch = (change: object) =>
    app.ask('PATCH', '/api/v1/services/calc', {
      body: JSON.stringify(change),
      headers: { 'content-type': 'application/json' },
    });
  const chosen = await patch({ only: ['b'], description: 'Only b.' });
  expect(chosen.status).toBe(200);
  expect(chosen.body.tools).toMatchObject([
    { name: 'a', enabled: false },
    { name: 'b', enabled: true },
  ]);
  expect(app.store.definitions()[0]).toMatchObject({ description: 'Only b.', source: { only: ['b'] } });
  app.services.retireAll();
  const { body } = await patch({ only: null, exclude: ['b'] });
  expect(body).not.toHaveProperty('only');
  expect(app.store.definitions()[0]?.source).toMatchObject({ exclude: ['b'] });
  expect((await patch({ exclude: ['a', 'b'] })).status).toBe(422);
  expect((await patch({ only: ['nope'] })).body.error).toMatchObject({ code: 'INVALID_REQUEST' });
  expect((await patch({ settings: { profile: 'trusted' } })).body.error.message).toContain('no property "settings"');
  expect((await patch({})).body.error.message).toContain('changes nothing');
  expect((await patch({ only: [] })).body.error.message).toContain('send null');
  expect(Object.keys(await filesIn(join(app.folder, 'services', 'calc')))).toHaveLength(2);
});

it('a service that is removed is gone with its files', async () => {
  const app = await startUploads({ principalFor });
  await app.send('POST', '/api/v1/services', calc, 'calc.py');
  expect((await app.ask('DELETE', '/api/v1/services/calc')).status).toBe(204);
  expect(app.services.has('calc')).toBe(false);
  expect(await readdir(join(app.folder, 'services'))).toEqual([]);
  expect((await app.ask('DELETE', '/api/v1/services/calc')).status).toBe(404);
  expect((await app.send('POST', '/api/v1/services', calc, 'calc.py', { client: 'bob' })).status).toBe(201);
});

it('a gateway that shuts down, or that keeps no data, takes no uploads and says so', async () => {
  const closing = AbortSignal.abort();
  const ending = await startUploads({ principalFor, parts: { closing } });
  const answer = await ending.send('POST', '/api/v1/services', calc, 'calc.py');
  expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE']);
  await ending.close();
  const without = await startUploads({ principalFor, withoutStore: true });
  const { status, body } = await without.send('POST', '/api/v1/services', calc, 'calc.py');
  expect([status, body.error.message]).toEqual([400, expect.stringContaining('--data')]);
});
