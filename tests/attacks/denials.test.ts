import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/toolbox.js';
import { failureOf, folderWith } from '../engine/harness.js';
import { fixtureText } from './play.js';
import { describeStrict, scriptOf } from './strict.js';

const outside = folderWith({ 'file.txt': 'x' });
const file = join(outside, 'file.txt');
const newFile = join(outside, 'new.txt');
const newFolder = join(outside, 'new');

/** What is done, with what, and the permission whose name its author needs to hear. */
const denials: readonly [does: string, args: JsonObject, permission: string][] = [
  ['read', { path: file }, `--allow-read=${file}`],
  ['read', { path: '/etc/passwd' }, '--allow-read=/etc/passwd'],
  ['list_folder', { path: outside }, `--allow-read=${outside}`],
  ['write', { path: newFile }, '--allow-write='],
  ['write', { path: file }, '--allow-write='],
  ['remove', { path: file }, '--allow-write='],
  ['make_folder', { path: newFolder }, '--allow-write='],
  ['move', { path: newFile }, '--allow-write='],
  ['connect', { port: 9 }, '--allow-net'],
  ['send', { port: 9 }, '--allow-net'],
  ['look_up', {}, '--allow-net'],
  ['fetch', { port: 9 }, '--allow-net'],
  ['fork', {}, '--allow-run'],
  ['run', {}, '--allow-run'],
  ['run_by_shell', {}, '--allow-run'],
  ['become', {}, '--allow-run'],
  ['spawn_by_multiprocessing', {}, '--allow-run'],
];

describeStrict('a script that does not handle its denial', {}, (engine) => {
  const script = scriptOf('is_denied');
  for (const [does, args, permission] of denials) {
    it(`is told to need ${permission.split('=')[0]} for ${does} ${JSON.stringify(args)}`, async () => {
      const error = await failureOf(engine().call({ script, function: does, args }));
      expect({ code: error.code, message: error.message }).toMatchObject({ code: 'PERMISSION_DENIED' });
      expect(error.details.permission).toContain(permission);
      expect(error.message).toContain(permission.split('=')[0]);
    });
  }

  it('is told so for what its import does too', async () => {
    const folder = folderWith({
      'is_denied.py': fixtureText('is_denied.py'),
      'early.py': 'import is_denied\nis_denied.read("/etc/passwd")\n',
    });
    const error = await failureOf(engine().call({ script: join(folder, 'early.py'), function: 'read' }));
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED', details: { permission: '--allow-read=/etc/passwd' } });
  });

  it('is told an ordinary error where the sandbox has no part in it', async () => {
    const missing = engine().call({ script, function: 'read', args: { path: 'no-such-file' } });
    expect((await failureOf(missing)).code).toBe('EXCEPTION');
  });

  it('is told what was enforced', async () => {
    const error = await failureOf(engine().call({ script, function: 'read', args: { path: '/etc/passwd' } }));
    expect(error.details.figures).toMatchObject({
      profile: 'strict',
      enforced: { files: 'enforced', network: 'enforced', memory: 'enforced', cpu: 'enforced' },
    });
  });
});
