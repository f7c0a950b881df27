import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/manifest/manifest.js';
import { readManifest, writeManifest } from '../../src/manifest/read-write.js';
import { createFolder } from '../interpreter/scripts.js';

const sha256 = '0'.repeat(64);

describe('a manifest', () => {
  it('has paths relative to its file, with forward slashes, and absolute ones in memory', async () => {
    const folder = await createFolder();
    await mkdir(join(folder, 'out'));
    const manifest = manifestOf(join(folder, 'sub/a.py'));
    const file = join(folder, 'out/tools.json');
    await writeManifest(manifest, file);
    const written = JSON.parse(await readFile(file, 'utf8'));
    expect(written.scripts[0]).toMatchObject({ path: '../sub/a.py', files: [{ path: '../sub/a.py.types', sha256 }] });
    expect(written.tools[0].run.script).toBe('../sub/a.py');
    expect(await readManifest(file)).toEqual(manifest);
    expect(await readdir(join(folder, 'out'))).toEqual(['tools.json']);
  });

  it('may begin with a byte order mark and name its schema', async () => {
    const file = await fileWith(`\uFEFF{"$schema": "x", "manifestVersion": 1, "scripts": [], "tools": []}`);
    expect(await readManifest(file)).toEqual({ $schema: 'x', manifestVersion: 1, scripts: [], tools: [] });
  });

  it.each([
    ['{', /is not JSON: /],
    ['[]', /the whole: expected object/],
    ['{"manifestVersion": 2, "scripts": [], "tools": []}', /manifestVersion: expected 1/],
    ['{"manifestVersion": 1, "scripts": [], "tools": [], "extra": 1}', /the whole: Unrecognized key: "extra"/],
    [withTool({ enabled: 'yes' }), /tools\[0\]\.enabled: expected boolean, received string/],
    [withTool({ name: 'not valid!' }), /tools\[0\]\.name: expected 1 to 64 of the characters/],
    [withTool({ run: { kind: 'shell' } }), /tools\[0\]\.run\.kind: /],
    [
      withTool({ run: { kind: 'function', script: 'b.py', function: 'f' } }),
      /has no script .*tools\[0\]\.run\.script .*b\.py/,
    ],
    [withTool({}, { sha256: 'abc' }), /scripts\[0\]\.sha256: /],
    [withTool({}, {}, 2), /has two tools with the name f; the second is tools\[1\]/],
  ])('of another form is refused by the place that is wrong: %s', async (text, message) => {
    await expect(readManifest(await fileWith(text))).rejects.toMatchObject({
      code: 'INVALID_MANIFEST',
      message: expect.stringMatching(message),
    });
  });

  it('that is not there, or cannot be written, is an error that names it', async () => {
    const folder = await createFolder();
    await expect(readManifest(join(folder, 'x.json'))).rejects.toThrow('cannot be read: there is no such file');
    await expect(writeManifest(manifestOf(join(folder, 'a.py')), join(folder, 'no/x.json'))).rejects.toMatchObject({
      code: 'INVALID_MANIFEST',
      message: expect.stringContaining('cannot be written'),
    });
  });
});

function manifestOf(path: string): Manifest {
  return {
    manifestVersion: 1,
    scripts: [{ path, sha256, files: [{ path: `${path}.types`, sha256 }], importEffects: [] }],
    tools: [{ ...tool, run: { kind: 'function', script: path, function: 'f' } }],
  };
}

const tool = {
  name: 'f',
  inputSchema: { type: 'object' },
  run: { kind: 'function', script: 'a.py', function: 'f' },
  enabled: true,
  why: 'public function',
} as const;

function withTool(change: object, changeOfScript: object = {}, times = 1): string {
  const script = { path: 'a.py', sha256, ...changeOfScript };
  return JSON.stringify({ manifestVersion: 1, scripts: [script], tools: Array(times).fill({ ...tool, ...change }) });
}

async function fileWith(text: string): Promise<string> {
  const file = join(await createFolder(), 'tools.json');
  await writeFile(file, text);
  return file;
}
