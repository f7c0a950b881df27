import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { explore } from '../../../src/manifest/explore.js';
import { startUploads, type UploadApp } from './app.js';
import { rawArchive } from './archives.js';
import { filesIn } from './folders.js';

const script = 'def add(a, b): ...\n';
const python = { 'content-type': 'text/x-python' };
const boundary = { 'content-type': 'multipart/form-data; boundary=x' };

async function expectNothingKept(app: UploadApp): Promise<void> {
  expect(await readdir(join(app.folder, 'services'))).toEqual([]);
  expect(app.services.opened).toEqual([]);
  await expect.poll(() => readdir(join(app.folder, 'unfinished'))).toEqual([]);
}

function part(name: string, content: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  return `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
}

describe('an upload', () => {
  it.each([
    ['?id=a', 'text/x-python', Buffer.from('a\n'.repeat(600_000)), /"a\.py" is larger than 1048576 bytes/],
    [
      '?filename=a.zip',
      'application/zip',
      zipSync({ 'a.py': Buffer.from(script), 'deep/b.py': randomBytes(1_100_000) }),
      /"deep\/b\.py" is larger than 1048576 bytes; put data into other files/,
    ],
  ])('of a script that would take too much memory to read is refused: %s', async (query, type, body, message) => {
    const app = await startUploads();
    const answer = await app.ask('POST', `/api/v1/services${query}`, { body, headers: { 'content-type': type } });
    expect(answer.body.error?.message).toMatch(message);
    expect(answer.status).toBe(413);
    await expectNothingKept(app);
  });

  it.each<[string, string, Record<string, string>, string | Uint8Array, number, RegExp]>([
    [
      'of another type',
      '?id=a',
      { 'content-type': 'application/x-www-form-urlencoded' },
      script,
      415,
      /curl|text\/x-python/,
    ],
    ['of JSON', '?id=a', { 'content-type': 'application/json' }, '{}', 415, /content type application\/json/],
    ['that is compressed', '?id=a', { ...python, 'content-encoding': 'gzip' }, script, 415, /without Content-Encoding/],
    ['without a name', '', python, script, 400, /has no name: say one with \?filename=/],
    ['of bytes without a name', '?id=a', { 'content-type': 'application/octet-stream' }, script, 400, /has no name/],
    ['that is empty', '?id=a', python, '', 422, /"a\.py" is empty/],
    ['that is no text', '?id=a', python, new Uint8Array([1, 0, 2]), 422, /is no text/],
    [
      'of an archive named .py',
      '?filename=a.py',
      python,
      zipSync({}),
      422,
      /named like a script, but it is a zip archive/,
    ],
    ['of a script named .zip', '?filename=a.zip', python, script, 422, /named like an archive, but it is none/],
    ['of something else', '?filename=a.exe', python, script, 422, /neither a Python script/],
    ['with a name that is none', '?filename=..', python, script, 400, /no name of a file/],
    ['with a name of which no id can be made', '?filename=%E6%97%A5.py', python, script, 400, /say one with id=/],
    ['with a wrong id', '?id=a/../b&filename=a.py', python, script, 400, /The field id takes letters, digits/],
    ['with two ids', '?id=a&id=b', python, script, 400, /field id was sent more than once/],
    ['with settings', '?id=a&settings=trusted', python, script, 400, /There is no field "settings"; it takes name/],
    ['with a slip', '?id=a&onlyy=add', python, script, 400, /did you mean only\?/],
    ['with a choice of nothing', '?id=a&only=', python, script, 400, /only is an empty list/],
    ['with a choice of what is not there', '?id=a&only=sub', python, script, 400, /is named sub/],
    ['with a strange dryRun', '?id=a&dryRun=maybe', python, script, 400, /dryRun is true or false/],
    ['with a name of control characters', '?id=a&name=a%00b', python, script, 400, /field name has control characters/],
    ['that is too large', '?id=a', python, '#'.repeat(3000), 413, /larger than 2000 bytes \(maxUploadBytes\)/],
    ['of a form that is no form', '?id=a', { 'content-type': 'multipart/form-data' }, 'x', 400, /cannot be read/],
    ['of a form that ends early', '', boundary, part('file', script, 'a.py'), 400, /cannot be read/],
    ['of an empty form', '', boundary, '--x--\r\n', 400, /has no field file/],
    ['of a form without a file', '', boundary, `${part('id', 'a')}--x--\r\n`, 400, /has no field file/],
    [
      'of a form with the file elsewhere',
      '',
      boundary,
      `${part('script', script, 'a.py')}--x--\r\n`,
      400,
      /in the field file/,
    ],
    [
      'of a form with two files',
      '',
      boundary,
      `${part('file', script, 'a.py')}${part('file', script, 'b.py')}--x--\r\n`,
      400,
      /put several scripts into one \.zip/,
    ],
    [
      'of a form with a large file',
      '',
      boundary,
      `${part('file', '#'.repeat(3000), 'a.py')}--x--\r\n`,
      413,
      /larger than 2000 bytes/,
    ],
    [
      'of a form with settings',
      '',
      boundary,
      `${part('settings', '{}')}${part('file', script, 'a.py')}--x--\r\n`,
      400,
      /no field "settings"/,
    ],
    [
      'of a form with a poisoned field',
      '',
      boundary,
      `${part('__proto__', 'x')}${part('file', script, 'a.py')}--x--\r\n`,
      400,
      /./,
    ],
    [
      'of a hostile archive',
      '?filename=a.zip',
      python,
      rawArchive([{ name: '../a.py' }]),
      422,
      /leads out of the archive/,
    ],
  ])('%s is refused, and nothing is kept', async (_what, query, headers, body, status, message) => {
    const app = await startUploads({ settings: { maxUploadBytes: 2000 } });
    const answer = await app.ask('POST', `/api/v1/services${query}`, { headers, body: Buffer.from(body) });
    expect(answer.body.error?.message).toMatch(message);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toContain(app.folder);
    await expectNothingKept(app);
  });

  it('that grows too large on the way is answered, though its length was never said', async () => {
    const app = await startUploads({ settings: { maxUploadBytes: 100_000 } });
    const body = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 40; sent++) controller.enqueue(Buffer.alloc(50_000, '#'));
        controller.close();
      },
    });
    const answer = await fetch(`${app.url}/api/v1/services?id=a`, {
      method: 'POST',
      headers: python,
      body,
      duplex: 'half',
    });
    expect(answer.status).toBe(413);
    await expectNothingKept(app);
  });

  it('whose client leaves in the middle is forgotten', async () => {
    const app = await startUploads();
    const socket = await halfUpload(app);
    await expect.poll(async () => Object.values(await filesIn(join(app.folder, 'unfinished')))).toEqual(['def ']);
    socket.destroy();
    await expectNothingKept(app);
    expect((await app.ask('POST', '/api/v1/services?id=a', { headers: python, body: script })).status).toBe(201);
  });

  it('that is too slow is ended', async () => {
    const app = await startUploads({ settings: { bodyTimeoutMs: 500 } });
    const socket = await halfUpload(app);
    socket.resume();
    await once(socket, 'close');
    await expectNothingKept(app);
  });

  it('that is named like a path is a file in its own folder', async () => {
    const app = await startUploads();
    const query = `?filename=${encodeURIComponent('../../..\\etc/x\r\nSet-Cookie: a.py')}`;
    const { status, body, headers } = await app.ask('POST', `/api/v1/services${query}`, {
      headers: python,
      body: script,
    });
    expect(status).toBe(400);
    expect(headers.get('set-cookie')).toBeNull();
    const second = await app.ask('POST', '/api/v1/services?filename=..%2F..%2F..%5Cetc%2F.x%3By.py', {
      headers: python,
      body: script,
    });
    expect(second.body).toMatchObject({ id: 'x_y', file: 'x_y.py' });
    expect(body.error.code).toBe('INVALID_REQUEST');
    expect(Object.keys(await filesIn(join(app.folder, 'services'))).sort()).toEqual(
      [`x_y/${second.body.version}/x_y.py`, 'x_y/service.json'].sort(),
    );
  });

  it('of any bytes under any name is answered, and what was refused leaves nothing', async () => {
    const app = await startUploads({ settings: { requestsPerSecond: 100_000, maxServicesPerClient: 100_000 } });
    const start = fc.constantFrom('', 'PK\x03\x04', 'PK\x05\x06', 'def x(): ...\n');
    const types = fc.constantFrom(
      'text/x-python',
      'application/zip',
      'application/octet-stream',
      'multipart/form-data; boundary=x',
    );
    await fc.assert(
      fc.asyncProperty(
        start,
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ maxLength: 12 }),
        types,
        async (head, rest, name, type) => {
          const body = Buffer.concat([Buffer.from(head, 'latin1'), rest]);
          const query = new URLSearchParams({ filename: name, id: 'any' });
          const { status } = await app.ask('POST', `/api/v1/services?${query}`, {
            headers: { 'content-type': type },
            body,
          });
          expect([201, 400, 413, 422]).toContain(status);
          if (status === 201) await app.ask('DELETE', '/api/v1/services/any');
          expect(await readdir(join(app.folder, 'services'))).toEqual([]);
          expect(await readdir(join(app.folder, 'unfinished'))).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('that cannot be written down is taken back', async () => {
    const app = await startUploads();
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
    const second = await startUploads({ deps: { store: { ...app.store, save: () => Promise.reject(full) } } });
    const answer = await second.ask('POST', '/api/v1/services?id=a', { headers: python, body: script });
    expect([answer.status, answer.body.error.message]).toEqual([503, 'There is no space left where uploads are kept']);
    expect(second.services.has('a')).toBe(false);
    await expectNothingKept(app);
  });

  it('with an error of syntax is told the line, by Python itself', async () => {
    const read = async (targets: readonly string[], choice: object) => {
      const { manifest, problems, notes } = await explore(targets, choice);
      return { tools: manifest.tools, problems: problems.map(({ error }) => error.message), notes };
    };
    const app = await startUploads({ deps: { explore: read } });
    const archive = zipSync({ 'p/good.py': Buffer.from(script), 'p/bad.py': Buffer.from('x = 1\ndef broken(:\n') });
    const part = await app.send('POST', '/api/v1/services', new Blob([archive]), 'both.zip');
    expect(part.body).toMatchObject({ id: 'both', tools: [{ name: 'add', enabled: true }] });
    expect(part.body.problems).toEqual([expect.stringContaining('line 2')]);
    const whole = await app.send('POST', '/api/v1/services', new Blob(['x = 1\ndef broken(:\n']), 'bad.py');
    expect(whole.status).toBe(422);
    expect(whole.body.error.message).toContain('line 2');
    expect(JSON.stringify([part.body, whole.body])).not.toContain(app.folder);
  });
});

async function halfUpload(app: UploadApp) {
  const { port } = new URL(app.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    'POST /api/v1/services?id=a HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/x-python\r\ncontent-length: 100\r\n\r\ndef ',
  );
  return socket;
}
