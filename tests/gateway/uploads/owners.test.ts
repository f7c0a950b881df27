import { expect, it } from 'vitest';
import { FakeToolbox } from '../../server/fake-toolbox.js';
import { startUploads } from './app.js';
import { readByWords } from './reading.js';
import { calc, uploader } from './uploaders.js';

const principalFor = (client = 'ann') => uploader(client);

it("another's service cannot be replaced, changed, removed or exported, except by an administrator", async () => {
  const exportService = async () => ({
    filename: 'a b".mcpb',
    contentType: 'application/zip',
    data: Buffer.from('PK'),
  });
  const app = await startUploads({ principalFor, deps: { exportService } });
  await app.send('POST', '/api/v1/services', calc, 'calc.py');
  const path = '/api/v1/services/calc';
  const json = { body: '{"name":"Mine"}', headers: { 'content-type': 'application/json' } };
  const attempts = (client: string) => [
    () => app.send('PUT', path, calc, 'calc.py', { client }),
    () => app.ask('PATCH', path, { client, ...json }),
    () => app.ask('GET', `${path}/export`, { client }),
    () => app.ask('DELETE', path, { client }),
  ];
  for (const attempt of attempts('bob')) expect(await attempt()).toMatchObject({ status: 403 });
  const answers = [];
  for (const attempt of attempts('admin')) answers.push(await attempt());
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
  expect(answers[0]?.body.owner).toBe('ann');
  expect(answers[2]?.headers.get('content-disposition')).toBe('attachment; filename="a_b_.mcpb"');
});

it('a service of the command line cannot be changed', async () => {
  const app = await startUploads({ principalFor });
  app.services.set('given', new FakeToolbox());
  const { status, body } = await app.ask('DELETE', '/api/v1/services/given', { client: 'admin' });
  expect(status).toBe(403);
  expect(body.error.message).toContain('stands on the command line or in the config file');
});

it('quotas hold for services and for the disk, also for uploads at once', async () => {
  const quotas = { maxServices: 2, maxDiskBytes: 100 };
  const app = await startUploads({ principalFor: (client = 'ann') => uploader(client, { quotas }) });
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((id) => app.send('POST', '/api/v1/services', new Blob(['def x(): ...']), `${id}.py`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
  const [free = ''] = app.store.definitions().map(({ id }) => id);
  const large = new Blob([`def x(): ...\n${'#'.repeat(100)}`]);
  const { status, body } = await app.send('PUT', `/api/v1/services/${free}`, large, 'x.py');
  expect([status, body.error.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  expect(body.error.message).toContain('may take 100 bytes');
  await app.ask('DELETE', `/api/v1/services/${free}`);
  expect((await app.send('POST', '/api/v1/services', calc, 'e.py')).status).toBe(201);
});

it('a key for some services uploads only those', async () => {
  const app = await startUploads({ principalFor: () => uploader('ann', { services: ['team-*'] }) });
  expect((await app.send('POST', '/api/v1/services', calc, 'calc.py')).body.error.message).toContain('team-*');
  expect((await app.send('POST', '/api/v1/services', calc, 'team-calc.py')).status).toBe(201);
});

it('more uploads of one client than a few at once are refused, and another client is served meanwhile', async () => {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const explore: typeof readByWords = async (targets, choice) => {
    const found = await readByWords(targets, choice);
    if (found.tools[0]?.name === 'slow') await gate;
    return found;
  };
  const app = await startUploads({ principalFor, deps: { explore } });
  const slow = Array.from({ length: 5 }, (_, index) =>
    app.send('POST', '/api/v1/services', new Blob(['def slow(): ...']), `slow${index}.py`),
  );
  const refused = await Promise.race(slow);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await app.send('POST', '/api/v1/services', calc, 'calc.py', { client: 'bob' })).status).toBe(201);
  letGo();
  expect((await Promise.all(slow)).filter(({ status }) => status === 201)).toHaveLength(4);
});
