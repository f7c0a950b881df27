import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaFileName } from '../../../src/codemode/schemas/file-name.js';
import type { InferredSchema } from '../../../src/codemode/schemas/schema-file.js';
import { openSchemaStore, readResultSchemas } from '../../../src/codemode/schemas/store.js';
import { createLog } from '../../../src/log.js';

let around: string;
let folder: string;
beforeEach(async () => {
  around = await mkdtemp(join(tmpdir(), 'schemas-'));
  folder = join(around, 'schemas');
});
afterEach(() => rm(around, { recursive: true, force: true }));

const listIssues: InferredSchema = {
  tool: 'list_issues',
  definition: 'abc',
  samples: 3,
  isJsonText: true,
  schema: { type: 'array', items: { type: 'string' } },
};
const getMe: InferredSchema = { ...listIssues, tool: 'get_me', isJsonText: false, schema: { type: 'string' } };

describe('the store of schemas', () => {
  it('gives back what was saved, at once and when it is opened again', async () => {
    const store = await openSchemaStore(folder);
    await store.save('github', [listIssues, getMe]);
    for (const lookup of [store.resultSchemas, await readResultSchemas(folder)]) {
      expect(lookup('github', 'list_issues')).toEqual({
        schema: listIssues.schema,
        origin: 'inferred',
        samples: 3,
        isJsonText: true,
      });
      expect(lookup('github', 'get_me')).toEqual({ schema: { type: 'string' }, origin: 'inferred', samples: 3 });
      expect(lookup('github', 'toString')).toBeUndefined();
      expect(lookup('other', 'get_me')).toBeUndefined();
    }
  });

  it('writes the same bytes whatever the order, and leaves alone a file that says the same', async () => {
    const store = await openSchemaStore(folder);
    await store.save('github', [listIssues, getMe]);
    const file = join(folder, 'github.json');
    const text = await readFile(file, 'utf8');
    await utimes(file, 1, 1);
    await store.save('github', [getMe, listIssues]);
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await stat(file)).mtimeMs).toBe(1000);
    expect(await readdir(folder)).toEqual(['github.json']);
  });

  it('removes the file of a server of which nothing is known any longer', async () => {
    const store = await openSchemaStore(folder);
    await store.save('github', [getMe]);
    await store.save('github', []);
    expect(await readdir(folder)).toEqual([]);
    expect(store.resultSchemas('github', 'get_me')).toBeUndefined();
  });

  it('keeps every one of many saves at once', async () => {
    const store = await openSchemaStore(folder);
    const servers = Array.from({ length: 20 }, (_, index) => `server ${index}`);
    await Promise.all(servers.flatMap((server) => [store.save(server, [getMe]), store.save(server, [listIssues])]));
    const lookup = await readResultSchemas(folder);
    for (const server of servers) expect(lookup(server, 'list_issues')).toBeDefined();
    expect(await readdir(folder)).toHaveLength(20);
  });

  it('takes names of tools that are traps for what they are', async () => {
    const store = await openSchemaStore(folder);
    await store.save('__proto__', [{ ...getMe, tool: '__proto__' }]);
    const lookup = await readResultSchemas(folder);
    expect(lookup('__proto__', '__proto__')).toMatchObject({ origin: 'inferred' });
    expect(lookup('constructor', 'name')).toBeUndefined();
  });

  it.each([
    ['cut off', '{"server": "bad", "tools": ['],
    ['of another form', '{"server": "bad", "tools": {"a": 1}}'],
    [
      'with a schema that is none',
      '{"server":"bad","tools":[{"tool":"a","origin":"inferred","samples":1,"isJsonText":false,"definition":"x","schema":[]}]}',
    ],
    ['of another server', '{"server": "github", "tools": []}'],
    ['empty', ''],
  ])('reports a file that is %s, and reads the others', async (_name, text) => {
    await (await openSchemaStore(folder)).save('good', [getMe]);
    await writeFile(join(folder, 'bad.json'), text);
    await writeFile(join(folder, 'notes.txt'), 'of no concern');
    const lines: string[] = [];
    const lookup = await readResultSchemas(folder, createLog({ level: 'warn', write: (line) => lines.push(line) }));
    expect(lookup('good', 'get_me')).toBeDefined();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"file":"bad.json"');
  });

  it('is empty where there is no folder', async () => {
    expect((await readResultSchemas(join(folder, 'nowhere')))('a', 'b')).toBeUndefined();
  });

  it('says what is wrong where it cannot write', async () => {
    await writeFile(folder, 'a file in the place of the folder');
    const store = await openSchemaStore(folder);
    await expect(store.save('github', [getMe])).rejects.toMatchObject({ code: 'INVALID_WORKSPACE' });
  });
});

describe('the name of a schema file', () => {
  it('is that of the server where that is safe everywhere', () => {
    expect(schemaFileName('github')).toBe('github.json');
    expect(schemaFileName('my-server_2')).toBe('my-server_2.json');
  });

  it.each(['GitHub', '../../etc/passwd', 'a/b', 'con', '', '.', '-x', 'ü', 'a'.repeat(300), 'a\0b', '\ud800'])(
    'is a safe one for %j',
    (server) => {
      expect(schemaFileName(server)).toMatch(/^[a-z0-9-]{0,40}\.[0-9a-f]{16}\.json$/);
    },
  );

  it('is another one for every server, even where the case of letters does not count', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        fc.pre(one !== other);
        expect(schemaFileName(one).toLowerCase()).not.toBe(schemaFileName(other).toLowerCase());
      }),
    );
    expect(schemaFileName('\ud800')).not.toBe(schemaFileName('\ud801'));
    expect(schemaFileName('GitHub')).not.toBe(schemaFileName('Github'));
  });
});
