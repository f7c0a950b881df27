import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptInWorkspace } from '../../../src/codemode/toolbox/script-path.js';
import { ExecutionError } from '../../../src/errors.js';

let folder: string;
let workspace: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-execution-path-')));
  workspace = join(folder, 'workspace');
  for (const name of ['scripts', 'servers/github', 'runs/r1', 'deep/er', 'dir.py']) {
    await mkdir(join(workspace, name), { recursive: true });
  }
  const files = [
    'scripts/a.py',
    'servers/github/x.py',
    'runs/r1/x.py',
    'deep/er/b.py',
    'secret.json',
    '.env',
    '../out.py',
  ];
  for (const name of files) await writeFile(join(workspace, name), 'print(1)\n');
  await symlink(join(folder, 'out.py'), join(workspace, 'leaves.py'));
  await symlink(join(workspace, 'secret.json'), join(workspace, 'config.py'));
  await symlink(join(workspace, 'servers'), join(workspace, 'round'));
  await symlink('..', join(workspace, 'up'));
  await symlink('scripts/a.py', join(workspace, 'stays.py'));
  await link(join(workspace, 'scripts/a.py'), join(workspace, 'linked.py'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the path of a script', () => {
  it.each([
    ['scripts/a.py', 'scripts/a.py'],
    ['./deep/../deep/er/b.py', 'deep/er/b.py'],
    ['stays.py', 'scripts/a.py'],
    ['linked.py', 'linked.py'],
    ['up/workspace/scripts/a.py', 'scripts/a.py'],
  ])('%s is that of a file in the workspace', async (given, file) => {
    expect(await scriptInWorkspace(workspace, given)).toBe(join(workspace, file));
  });

  it.each([
    ['../out.py', 'NOT_ALLOWED', 'is outside of the workspace'],
    ['../nothing.py', 'NOT_ALLOWED', 'is outside of the workspace'],
    ['/etc/passwd', 'NOT_ALLOWED', 'is outside of the workspace'],
    ['up/out.py', 'NOT_ALLOWED', 'is outside of the workspace'],
    ['leaves.py', 'NOT_ALLOWED', 'is outside of the workspace'],
    ['a\0.py', 'NOT_ALLOWED', 'is outside of the workspace'],
    ['.', 'NOT_ALLOWED', 'is outside of the workspace'],
    ['secret.json', 'NOT_ALLOWED', 'is no .py file'],
    ['.env', 'NOT_ALLOWED', 'is no .py file'],
    ['config.py', 'NOT_ALLOWED', 'is a link to what is no .py file'],
    ['servers/github/x.py', 'NOT_ALLOWED', 'is in servers/'],
    ['round/github/x.py', 'NOT_ALLOWED', 'is in servers/'],
    ['runs/r1/x.py', 'NOT_ALLOWED', 'is in runs/'],
    ['missing.py', 'INVALID_SCRIPT', 'There is no file "missing.py"'],
    ['dir.py', 'INVALID_SCRIPT', 'There is no file'],
  ])('%j is refused: %s', async (given, code, message) => {
    const refused = scriptInWorkspace(workspace, given);
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    await refused.catch((error: Error) => expect(error.message).not.toContain(folder));
  });

  it('never leads out, however it is put together', async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'up',
      'round',
      'scripts',
      'workspace',
      'leaves.py',
      'a.py',
      'out.py',
      folder,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const found = await scriptInWorkspace(workspace, parts.join('/')).catch((error: unknown) => error);
        if (found instanceof ExecutionError) return;
        expect(String(found).startsWith(`${workspace}/`)).toBe(true);
      }),
    );
  });
});
