import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../../src/gateway/access/keys.js';
import { openDataFolder } from '../../../src/gateway/uploads/data-folder.js';
import { addKeptKey, readKeptKeys } from '../../../src/gateway/uploads/kept-keys.js';
import { openUploadStore } from '../../../src/gateway/uploads/store.js';
import { filesIn, temporaryFolder } from './folders.js';
import { buildProgram, startProgram } from './processes.js';

describe('a data folder', () => {
  it('is made for its user alone, says its version, and can be opened again when it was closed', async () => {
    const path = join(await temporaryFolder(), 'a', 'data');
    const folder = await openDataFolder(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(path, 'version.json'), 'utf8')).toBe('{"version":1}\n');
    await folder.close();
    expect((await readdir(path)).sort()).toEqual(['services', 'unfinished', 'version.json']);
    await (await openDataFolder(path)).close();
  });

  it('that others may look into is closed to them', async () => {
    const path = await temporaryFolder();
    await chmod(path, 0o755);
    await (await openDataFolder(path)).close();
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it('of a newer version is left alone', async () => {
    const path = await temporaryFolder();
    await writeFile(join(path, 'version.json'), '{"version":7}');
    await expect(openDataFolder(path)).rejects.toThrow(/has version 7, and this gateway knows versions up to 1/);
    await writeFile(join(path, 'version.json'), 'nonsense');
    await expect(openDataFolder(path)).rejects.toThrow(/does not say the version/);
    expect(await readdir(path)).toEqual(['version.json']);
  });

  it('that holds other things is not taken for one', async () => {
    const path = await temporaryFolder();
    await mkdir(join(path, 'unfinished'));
    await writeFile(join(path, 'unfinished', 'novel.txt'), 'Chapter one');
    await expect(openDataFolder(path)).rejects.toThrow(/has other things in it \(unfinished\)/);
    expect(await filesIn(path)).toEqual({ 'unfinished/novel.txt': 'Chapter one' });
  });

  it('that cannot be made is told of', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, '');
    for (const wrong of [path, join(path, 'data')]) {
      await expect(openDataFolder(wrong)).rejects.toThrow(/The data folder cannot be made/);
    }
  });

  it.runIf(process.platform === 'linux')('that is to be where no folder can be made is told of', async () => {
    await expect(openDataFolder('/proc/none/data')).rejects.toThrow(/The data folder cannot be made: ENOENT/);
  });

  it('is made with the folders above it', async () => {
    const path = join(await temporaryFolder(), 'a', 'b', 'data');
    await (await openDataFolder(path)).close();
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
  });

  it('loses what was not finished when its gateway was killed', async () => {
    const path = await temporaryFolder();
    const first = await openDataFolder(path);
    await first.close();
    await mkdir(join(path, 'unfinished', 'x'));
    await writeFile(join(path, 'unfinished', 'x', 'upload'), 'half');
    await writeFile(join(path, 'version.json.1234.tmp'), '{"ver');
    await mkdir(join(path, 'services', 'never', '0123'), { recursive: true });
    await writeFile(join(path, 'services', 'never', '0123', 'a.py'), 'x');
    const store = await openUploadStore(await openDataFolder(path));
    expect(Object.keys(await filesIn(path)).sort()).toEqual(['lock', 'version.json']);
    expect(await readdir(join(path, 'services'))).toEqual([]);
    expect(store.problems).toEqual([]);
    await store.close();
  });

  it('keeps keys, and says where one is wrong', async () => {
    const path = await temporaryFolder();
    expect(await readKeptKeys(path)).toEqual([]);
    const { entry } = createKey({ name: 'ann', scopes: ['upload'] });
    await addKeptKey(path, entry);
    expect(await readKeptKeys(path)).toEqual([entry]);
    await (await openDataFolder(path)).close();
    await writeFile(join(path, 'keys.json'), '[{"id":"a"}]');
    await expect(readKeptKeys(path)).rejects.toThrow(/keys\.json: 0\.name/);
    await writeFile(join(path, 'keys.json'), '[');
    await expect(readKeptKeys(path)).rejects.toThrow(/not valid JSON/);
  });
});

describe('the lock of a data folder', () => {
  let holder = '';
  beforeAll(() => {
    holder = buildProgram('holds-a-folder');
  });

  it('keeps a second gateway out, which is told who has it', async () => {
    const path = await temporaryFolder();
    const first = startProgram(holder, path);
    expect(await first.nextLine()).toBe('open');
    await expect(openDataFolder(path)).rejects.toThrow(`in use by the gateway with process id ${first.pid} on `);
  });

  it('keeps out a second opening in the same process too', async () => {
    const folder = await openDataFolder(await temporaryFolder());
    await expect(openDataFolder(folder.path)).rejects.toThrow(`process id ${process.pid}`);
    await folder.close();
  });

  it('of a gateway that was killed is taken over', async () => {
    const path = await temporaryFolder();
    const first = startProgram(holder, path);
    await first.nextLine();
    await first.kill();
    await (await openDataFolder(path)).close();
  });

  it('is had by one of many that start at once over a dead one', async () => {
    const path = await temporaryFolder();
    const dead = startProgram(holder, path);
    await dead.nextLine();
    await dead.kill();
    const lines = await Promise.all(Array.from({ length: 4 }, () => startProgram(holder, path).nextLine()));
    expect(lines.filter((line) => line === 'open')).toHaveLength(1);
    expect(lines.filter((line) => line.includes('is in use by'))).toHaveLength(3);
  });

  it.runIf(process.platform === 'linux')('of a dead process that nobody has waited for is taken over', async () => {
    const path = await temporaryFolder();
    const folder = await openDataFolder(path);
    const mine = JSON.parse(await readFile(join(path, 'lock'), 'utf8'));
    await folder.close();
    const parent = spawn('sh', ['-c', '(sleep 0.1) & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [said] = await once(parent.stdout, 'data');
    const pid = Number(said);
    const statOf = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ');
    await expect.poll(async () => (await statOf())[2]).toBe('Z');
    const startedAt = (await statOf())[21];
    await writeFile(join(path, 'lock'), JSON.stringify({ ...mine, pid, startedAt }));
    await (await openDataFolder(path)).close();
  });

  it('of a process whose number another one has now is taken over', async () => {
    const path = await temporaryFolder();
    const folder = await openDataFolder(path);
    const mine = JSON.parse(await readFile(join(path, 'lock'), 'utf8'));
    await folder.close();
    await writeFile(join(path, 'lock'), JSON.stringify({ ...mine, startedAt: '1' }));
    await (await openDataFolder(path)).close();
  });

  it('of another machine counts as long as it shows life', async () => {
    const path = await temporaryFolder();
    const lock = join(path, 'lock');
    const foreign = { pid: process.pid, startedAt: '1', place: `not-${hostname()}`, token: 'x' };
    await writeFile(lock, JSON.stringify(foreign));
    const beat = setInterval(() => void utimes(lock, new Date(), new Date()), 20);
    await expect(openDataFolder(path, { silentMs: 2000 })).rejects.toThrow(`on not-${hostname()}`);
    clearInterval(beat);
    await (await openDataFolder(path, { silentMs: 100 })).close();
  });

  it('that is no lock of ours, and stays as it is, is taken over', async () => {
    const path = await temporaryFolder();
    await writeFile(join(path, 'lock'), '');
    await (await openDataFolder(path, { silentMs: 100 })).close();
  });

  it('that was taken away is noticed, and nothing is changed any more', async () => {
    const path = await temporaryFolder();
    const folder = await openDataFolder(path, { silentMs: 100 });
    const store = await openUploadStore(folder);
    await writeFile(join(path, 'lock'), 'of somebody else');
    await new Promise((resolve) => folder.lost.addEventListener('abort', resolve));
    await expect(store.createWorkplace()).rejects.toThrow(/taken over the data folder/);
    await store.close();
    expect(await readFile(join(path, 'lock'), 'utf8')).toBe('of somebody else');
  });
});

it('a service that cannot be read back is told of, left alone, and keeps no other from coming back', async () => {
  const path = await temporaryFolder();
  const folder = await openDataFolder(path);
  const store = await openUploadStore(folder);
  for (const id of ['good', 'torn', 'empty', 'odd']) {
    const { folder: work } = await store.createWorkplace();
    await writeFile(join(work, 'a.py'), 'x = 1');
    const { version } = await store.place(id, work);
    const at = new Date().toISOString();
    const facts = { kind: 'script', file: 'a.py', sha256: '0'.repeat(64), bytes: 5, files: 1 } as const;
    await store.save({ id, owner: 'ann', version, ...facts, createdAt: at, updatedAt: at });
  }
  const [good] = store.definitions();
  await store.close();
  const services = join(path, 'services');
  await writeFile(join(services, 'torn', 'service.json'), '{"id":');
  await writeFile(join(services, 'odd', 'service.json'), '{"id":"good"}');
  await writeFile(join(services, 'stray.txt'), '');
  await symlink('/nowhere', join(services, 'link'));
  const emptied = JSON.parse(await readFile(join(services, 'empty', 'service.json'), 'utf8'));
  await writeFile(join(services, 'empty', 'service.json'), JSON.stringify({ ...emptied, version: 'gone' }));
  const again = await openUploadStore(await openDataFolder(path));
  expect(again.definitions()).toEqual([good]);
  expect(again.problems).toHaveLength(5);
  expect(again.isTaken('torn')).toBe(true);
  expect(Object.keys(await filesIn(join(services, 'torn')))).toHaveLength(2);
  await again.close();
});
