import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSurroundings } from '../../src/cli/surroundings.js';
import { createFolder } from '../interpreter/scripts.js';

describe('the surroundings', () => {
  it('name the user', async () => {
    expect(findSurroundings({}, await createFolder()).user.id).toBe(process.getuid?.());
  });

  it('are no container where nothing hints at one', async () => {
    const root = await rootWith({ 'proc/1/cgroup': '0::/init.scope\n' });
    expect(findSurroundings({}, root).container).toBeUndefined();
  });

  it.each([
    ['.dockerenv', '', 'docker'],
    ['run/.containerenv', 'engine="podman"', 'podman'],
    ['run/systemd/container', 'systemd-nspawn\n', 'systemd-nspawn'],
    ['proc/1/cgroup', '0::/system.slice/containerd.service/x\n', 'containerd'],
    ['proc/1/cgroup', '4:memory:/kubepods/besteffort/pod1\n', 'kubernetes'],
  ])('are a container where %s says so', async (file, text, kind) => {
    expect(findSurroundings({}, await rootWith({ [file]: text })).container).toEqual({ kind, sign: `/${file}` });
  });

  it.each([
    [{ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, 'kubernetes'],
    [{ container: 'lxc' }, 'lxc'],
  ])('are a container where the environment has %j', async (environment, kind) => {
    expect(findSurroundings(environment, await createFolder()).container?.kind).toBe(kind);
  });

  it('hold the settings of the kernel that can be read', async () => {
    const root = await rootWith({
      'proc/sys/user/max_user_namespaces': '0\n',
      'sys/kernel/security/lsm': 'lockdown,yama',
    });
    expect(findSurroundings({}, root).kernelSettings).toEqual({
      'user.max_user_namespaces': '0',
      lsm: 'lockdown,yama',
    });
  });
});

async function rootWith(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await createFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return root;
}
