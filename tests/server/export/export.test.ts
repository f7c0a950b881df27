import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readManifest } from '../../../src/manifest/read-write.js';
import { exportScripts } from '../../../src/server/export/export.js';
import { folderWith, listing, manifestOf, sha256Of } from './scene.js';

const root = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);
let folder: string;
let script: string;
let server: string;

beforeEach(async () => {
  folder = await folderWith({
    'work/adds.py': 'import lib\n\ndef add(a, b):\n    return a + b\n',
    'work/lib.py': '',
    'server.mjs': 'the bundled server',
  });
  script = join(folder, 'work', 'adds.py');
  server = join(folder, 'server.mjs');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function exported(options: Partial<Parameters<typeof exportScripts>[0]> = {}) {
  return await exportScripts({ manifest: await manifestOf([script]), to: join(folder, 'out'), server, ...options });
}

describe('an exported folder', () => {
  it('has the script, its modules, the manifests, the server, the Python part and a page', async () => {
    const { files, tools, kind } = await exported();
    const names = await listing(join(folder, 'out'));
    expect(names.filter((name) => !name.startsWith('python/'))).toEqual([
      'README.md',
      'manifest.json',
      'package.json',
      'scripts/adds.py',
      'scripts/lib.py',
      'server.mjs',
      'tools.json',
    ]);
    expect(names).toContain('python/start.py');
    expect(names).toContain('python/mcp_execution/__init__.py');
    expect(names.filter((name) => /pycache|\.pyc/.test(name))).toEqual([]);
    expect([files, tools, kind]).toEqual([names.length, ['tool_0'], 'folder']);
  });

  it('has a manifest whose paths and hashes fit what is beside it', async () => {
    const manifest = await manifestOf([script], {
      files: [{ path: join(folder, 'work/lib.py'), sha256: await sha256Of(join(folder, 'work/lib.py')) }],
    });
    await exported({ manifest });
    const text = await readFile(join(folder, 'out/tools.json'), 'utf8');
    expect(text).not.toContain(folder);
    const read = await readManifest(join(folder, 'out/tools.json'));
    for (const { path, sha256, files } of read.scripts) {
      expect(await sha256Of(path)).toBe(sha256);
      for (const file of files) expect(await sha256Of(file.path)).toBe(file.sha256);
    }
    expect(read.tools[0]?.run.script).toBe(join(folder, 'out/scripts/adds.py'));
  });

  it('keeps tools that are not enabled, to be enabled by hand, and offers only the others', async () => {
    const manifest = await manifestOf([script]);
    const [tool] = manifest.tools;
    if (tool === undefined) throw new Error('no tool');
    const { tools } = await exported({
      manifest: { ...manifest, tools: [tool, { ...tool, name: 'quiet', enabled: false }] },
    });
    expect(tools).toEqual(['tool_0']);
    const read = await readManifest(join(folder, 'out/tools.json'));
    expect(read.tools.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['tool_0', true],
      ['quiet', false],
    ]);
    for (const page of ['manifest.json', 'README.md']) {
      expect(await readFile(join(folder, 'out', page), 'utf8')).not.toContain('quiet');
    }
  });

  it('takes its names from the script, or as they are given', async () => {
    const manifest = await manifestOf([script], { description: 'Sums\nof things.\n\nMore.' });
    expect(await exported({ manifest })).toMatchObject({
      name: 'adds',
      version: '0.1.0',
      description: 'Sums of things.',
    });
    const names = { name: 'Sums', version: '2.0.0-beta.1', description: 'Adds.', author: 'Ada' };
    expect(await exported({ manifest, ...names })).toMatchObject(names);
    const written = JSON.parse(await readFile(join(folder, 'out/manifest.json'), 'utf8'));
    expect(written).toMatchObject({
      name: 'Sums',
      version: '2.0.0-beta.1',
      description: 'Adds.',
      author: { name: 'Ada' },
    });
    expect(await exported({ manifest: await manifestOf([script]) })).toMatchObject({
      description: 'Tools of adds.py.',
    });
  });

  it('says on its page how to run it, what it can do, and how clients are told', async () => {
    const fields = { dependencies: { source: 'inline' as const, packages: ['requests>=2'] }, requiresPython: '>=3.12' };
    await exported({ manifest: await manifestOf([script], fields) });
    const page = await readFile(join(folder, 'out/README.md'), 'utf8');
    expect(page).toContain('node server.mjs');
    expect(page).toContain('| `tool_0` | Adds \\| two numbers. |');
    expect(page).toContain('Python](https://www.python.org) 3.12 or newer');
    expect(page).toContain('`requests>=2`');
    for (const client of ['Claude Desktop', 'Claude Code', 'Cursor', 'VS Code', 'Windsurf', 'Codex']) {
      expect(page).toContain(client);
    }
    for (const [, block = ''] of page.matchAll(/^```json\n([\s\S]*?)^```$/gm)) JSON.parse(block);
  });

  it('replaces an earlier export and an empty folder, and leaves nothing else beside it', async () => {
    await mkdir(join(folder, 'out'));
    await exported();
    await writeFile(join(folder, 'out/scripts/old.py'), '');
    await exported();
    expect(await listing(join(folder, 'out'))).not.toContain('scripts/old.py');
    expect((await readdir(folder)).sort()).toEqual(['out', 'server.mjs', 'work']);
  });

  it('may lie in the folder of its script, and is made where its parents are missing', async () => {
    const { to } = await exported({ to: join(folder, 'work/dist/deep/out') });
    expect(await listing(to)).toContain('scripts/adds.py');
  });

  it('replaces a folder of something else only when forced', async () => {
    await mkdir(join(folder, 'out'));
    await writeFile(join(folder, 'out/mine.txt'), 'mine');
    await expect(exported()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringMatching(/out is not empty and is no earlier export; .* --force/),
    });
    expect(await listing(join(folder, 'out'))).toEqual(['mine.txt']);
    await exported({ force: true });
    expect(await listing(join(folder, 'out'))).not.toContain('mine.txt');
  });

  it.each([
    ['work', /work holds .*adds\.py, which is exported/],
    ['.', /holds .*adds\.py, which is exported/],
    ['server.mjs', /is neither a folder nor a file that ends in \.mcpb/],
    ['out.zip', /is neither a folder nor a file that ends in \.mcpb/],
    ['work/lib.py/out', /out is a file; name a folder|cannot be written/],
  ])('is never written to %s, even when forced', async (to, message) => {
    await expect(exported({ to: join(folder, to), force: true })).rejects.toThrow(message);
    expect(await listing(folder)).toEqual(['server.mjs', 'work/adds.py', 'work/lib.py']);
  });

  it('is not written over the working folder', async () => {
    await expect(exported({ to: process.cwd(), force: true })).rejects.toThrow(/holds the working folder/);
  });

  it.each([
    [{ name: 'a b' }, /--name: "a b" is not made of/],
    [{ name: '' }, /--name/],
    [{ version: '1.0' }, /--bundle-version: "1.0" is not of the form/],
  ])('is refused with %j', async (names, message) => {
    await expect(exported(names)).rejects.toThrow(message);
  });

  it('is refused where no tool is enabled', async () => {
    await expect(exported({ manifest: await manifestOf([script], {}, false) })).rejects.toMatchObject({
      code: 'INVALID_SCRIPT',
      message: expect.stringContaining('adds.py has no tool that is enabled'),
    });
  });

  it('is not begun where it was cancelled', async () => {
    await expect(exported({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await readdir(folder)).sort()).toEqual(['server.mjs', 'work']);
  });

  it('says that the installation is incomplete where the server is missing', async () => {
    await rm(server);
    await expect(exported()).rejects.toThrow(/installation is incomplete/);
    expect(await readdir(folder)).toEqual(['work']);
  });

  it('keeps odd names, and makes a plain one for the server', async () => {
    const odd = join(folder, 'work', '- größe & co.py');
    await writeFile(odd, '');
    const { name, to } = await exported({ manifest: await manifestOf([odd]), to: join(folder, 'odd.mcpb') });
    expect(name).toBe('gro-e-co');
    expect(Object.keys(unzipSync(await readFile(to)))).toContain('scripts/- größe & co.py');
  });

  it('holds scripts of several folders, with a file that both import only once', async () => {
    await mkdir(join(folder, 'else'));
    await writeFile(join(folder, 'else/adds.py'), 'import lib');
    await exported({ manifest: await manifestOf([script, join(folder, 'else/adds.py')]) });
    const names = await listing(join(folder, 'out/scripts'));
    expect(names).toEqual(['else/adds.py', 'work/adds.py', 'work/lib.py']);
  });
});

describe('an exported bundle', () => {
  const mcpb = join(root, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');

  it('is valid for the official tool, and unpacks to the same files as a folder', async () => {
    await exported();
    const { to, bytes } = await exported({ to: join(folder, 'adds.mcpb') });
    const unpacked = join(folder, 'unpacked');
    await run(process.execPath, [mcpb, 'unpack', to, unpacked]);
    expect((await run(process.execPath, [mcpb, 'validate', join(unpacked, 'manifest.json')])).stdout).toContain(
      'passes',
    );
    expect((await run(process.execPath, [mcpb, 'info', to])).stdout).toContain('adds.mcpb');
    expect(bytes).toBe((await readFile(to)).length);
    const names = await listing(unpacked);
    expect(names).toEqual(await listing(join(folder, 'out')));
    for (const name of names) {
      expect(await readFile(join(unpacked, name))).toEqual(await readFile(join(folder, 'out', name)));
    }
  });

  it('is started by a client with what its manifest says, and with nothing filled in', async () => {
    await exported();
    const { getMcpConfigForManifest, v0_3 } = await import('@anthropic-ai/mcpb');
    const manifest = v0_3.McpbManifestSchema.parse(
      JSON.parse(await readFile(join(folder, 'out/manifest.json'), 'utf8')),
    );
    const options = { manifest, extensionPath: '/bundles/adds', systemDirs: {}, userConfig: {}, pathSeparator: '/' };
    expect(await getMcpConfigForManifest(options)).toEqual({
      command: 'node',
      args: ['/bundles/adds/server.mjs'],
      env: { MCP_EXECUTION_PYTHON: '', MCP_EXECUTION_PROFILE: '', MCP_EXECUTION_TIMEOUT_MS: '60000' },
    });
  });

  it('has the same bytes for the same files, in the order of their names', async () => {
    const [one, other] = [join(folder, 'one.mcpb'), join(folder, 'other.MCPB')];
    await exported({ to: one });
    await exported({ to: other });
    const bytes = await readFile(one);
    expect(bytes.equals(await readFile(other))).toBe(true);
    const names = Object.keys(unzipSync(bytes));
    expect(names).toEqual([...names].sort());
  });

  it('replaces an earlier one, and is no folder', async () => {
    const to = join(folder, 'adds.mcpb');
    await writeFile(to, 'old');
    await exported({ to });
    expect(Object.keys(unzipSync(await readFile(to)))).toContain('server.mjs');
    await mkdir(join(folder, 'dir.mcpb'));
    await expect(exported({ to: join(folder, 'dir.mcpb') })).rejects.toThrow(/is a folder/);
    expect((await readdir(folder)).sort()).toEqual(['adds.mcpb', 'dir.mcpb', 'server.mjs', 'work']);
  });
});
