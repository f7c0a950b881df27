import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPython } from '../../src/python/interpreter.js';
import type { JsonValue } from '../../src/toolbox.js';
import { failureOf, folderWith } from '../engine/harness.js';
import { fixtureText } from './play.js';
import { describeStrict } from './strict.js';

const { executable } = await findPython();
const script = join(
  folderWith({
    'is_ordinary.py': fixtureText('is_ordinary.py'),
    'neighbour.py': 'WORD = "from beside"\n',
    'data.csv': 'a,b\r\n1,2\r\n',
  }),
  'is_ordinary.py',
);
const rows = [
  ['a', 'b'],
  ['1', '2'],
];

/** What each function of the fixture returns, in a sandbox as anywhere. */
const ordinary: Readonly<Record<string, JsonValue>> = {
  use_json: { a: [1, 2.5, null, 'ü'] },
  use_re: 'world hello',
  use_asyncio: [0, 2, 4, 6, 8],
  use_asyncio_as_async_function: 'from a thread',
  use_threads: [0, 1, 2, 3, 4, 5, 6, 7],
  use_thread_pool_executor: [0, 1, 4, 9, 16, 25, 36, 49],
  use_sqlite_in_memory: 4950,
  use_sqlite_in_a_file: 4950,
  use_sqlite_with_a_log: 4950,
  use_csv: [{ a: '1', b: '2' }],
  use_tempfile: [['a'], 'named', true],
  use_zipfile: 'zipped',
  use_tarfile: ['inner.txt'],
  use_shutil: ['copied', ['to2'], true],
  use_gzip: true,
  use_decimal: ['0.3', '1/2'],
  use_statistics: [2, 2.5],
  use_logging: 'written\n',
  use_mimetypes: 'text/html',
  use_zoneinfo: [7200, true],
  use_locale: 'UTF8',
  use_uuid: [10, 16, 36],
  use_hashlib: ['ca978112', '94ec9586'],
  use_ssl: 'CERT_REQUIRED',
  use_pickle: true,
  use_dataclasses: { x: 1, y: 2 },
  use_pathlib: [['folder/inner/other.txt'], true, true],
  use_system_facts: [true, true, true, 3, true, true],
  use_pipes_and_signals: [true, ['caught', 'caught']],
  use_resource_figures: [true, true],
  use_memory_maps: 'hello',
  use_locks_on_files: 'locked',
  use_data_beside_the_script: [rows, rows],
  use_a_module_beside_the_script: 'from beside',
  use_standard_library: [],
};

describeStrict('an ordinary script in the sandbox', {}, (engine, { name }) => {
  const call = async (fn: string) => (await engine().call({ script, function: fn })).value;

  it.each(Object.entries(ordinary))('may %s', async (fn, expected) => {
    expect(await call(fn)).toEqual(expected);
  });

  if (name !== 'without namespaces') {
    it('may use_thread_pool', async () => {
      expect(await call('use_thread_pool')).toEqual([1, 2, 3]);
    });
  }

  it.skipIf(!hasNumpy())('may use_numpy (numpy is not installed for this Python)', async () => {
    expect(await call('use_numpy')).toEqual([180, 3]);
  });

  it('may be called many times at once', async () => {
    const values = await Promise.all(Array.from({ length: 20 }, () => call('use_csv')));
    expect(values).toEqual(Array.from({ length: 20 }, () => [{ a: '1', b: '2' }]));
  });

  it('may be a whole script', async () => {
    const source = 'open("own.txt", "w").write("kept")\nresult(open("own.txt").read())';
    expect((await engine().run({ source })).value).toBe('kept');
  });
});

describeStrict('a script that may run processes', { allowRun: true }, (engine, { name }) => {
  const call = async (fn: string) => (await engine().call({ script, function: fn })).value;

  it('runs programs and pipelines', async () => {
    expect(await call('run_programs')).toEqual(['from a program', '0ne', 3]);
  });

  if (name !== 'without namespaces') {
    it('shares work among processes', async () => {
      expect(await call('run_processes')).toEqual([1, 2, 3]);
    });
  }
});

describeStrict('a script that may use the network', { allowNet: true }, (engine) => {
  it.each([
    ['talk_by_tcp', 'by tcp'],
    ['talk_by_udp', 'by udp'],
  ])('may %s', async (fn, expected) => {
    expect((await engine().call({ script, function: fn })).value).toBe(expected);
  });

  it('looks localhost up', async () => {
    expect((await engine().call({ script, function: 'look_up_localhost' })).value).toContain('127.0.0.1');
  });

  it('fetches a page of a server on this machine', async () => {
    const server = createServer((_, response) => response.end('fetched')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      expect((await engine().call({ script, function: 'fetch', args: { port } })).value).toBe('fetched');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

const shown = folderWith({ 'one.txt': 'one', 'two.txt': 'two' });
const changed = folderWith({ 'one.txt': 'one', 'two.txt': 'two' });
const alone = folderWith({ 'allowed.txt': 'allowed', 'other.txt': 'other' });
mkdirSync(join(changed, 'inner'));
const some = {
  allowRead: [shown, join(alone, 'allowed.txt')],
  allowWrite: [changed],
};

describeStrict('a script that may use some places', some, (engine) => {
  const read = (path: string) => engine().call({ script, function: 'read_file', args: { path } });
  const write = (path: string) => engine().call({ script, function: 'write_file', args: { path, text: 'changed' } });

  it('reads a folder that it may read, and does not change it', async () => {
    expect((await read(join(shown, 'one.txt'))).value).toBe('one');
    await failureOf(write(join(shown, 'one.txt')));
    await failureOf(write(join(shown, 'new.txt')));
    expect(readFileSync(join(shown, 'one.txt'), 'utf8')).toBe('one');
  });

  it('reads a file that it may read, and none beside it', async () => {
    expect((await read(join(alone, 'allowed.txt'))).value).toBe('allowed');
    await failureOf(read(join(alone, 'other.txt')));
  });

  it('is led out of neither by a link that stands there', async () => {
    const link = `link-${randomUUID()}`;
    symlinkSync(join(alone, 'other.txt'), join(shown, link));
    symlinkSync(join(alone, 'other.txt'), join(changed, link));
    await failureOf(read(join(shown, link)));
    await failureOf(read(join(changed, link)));
    await failureOf(write(join(changed, link)));
    expect(readFileSync(join(alone, 'other.txt'), 'utf8')).toBe('other');
  });

  it('reads and changes a folder that it may change', async () => {
    expect((await read(join(changed, 'two.txt'))).value).toBe('two');
    for (const name of ['one.txt', 'new.txt', 'inner/new.txt']) {
      expect((await write(join(changed, name))).value).toBe('changed');
      expect(readFileSync(join(changed, name), 'utf8')).toBe('changed');
    }
  });
});

const single = folderWith({ 'allowed.txt': 'before', 'other.txt': 'before' });

describeStrict('a script that may change one file', { allowWrite: [join(single, 'allowed.txt')] }, (engine) => {
  it('changes it, and none beside it', async () => {
    writeFileSync(join(single, 'allowed.txt'), 'before');
    const write = (name: string) =>
      engine().call({ script, function: 'write_file', args: { path: join(single, name), text: 'changed' } });
    expect((await write('allowed.txt')).value).toBe('changed');
    await failureOf(write('other.txt'));
    await failureOf(write('new.txt'));
    expect(readFileSync(join(single, 'allowed.txt'), 'utf8')).toBe('changed');
    expect(readFileSync(join(single, 'other.txt'), 'utf8')).toBe('before');
  });
});

describeStrict('a script that may read everything', { allowRead: true }, (engine) => {
  it('reads, and changes nothing', async () => {
    const read = engine().call({ script, function: 'read_file', args: { path: join(single, 'other.txt') } });
    expect((await read).value).toBe('before');
    const write = { path: join(single, 'other.txt'), text: 'changed' };
    await failureOf(engine().call({ script, function: 'write_file', args: write }));
    expect(readFileSync(join(single, 'other.txt'), 'utf8')).toBe('before');
  });
});

function hasNumpy(): boolean {
  try {
    execFileSync(executable, ['-c', 'import numpy'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
