import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Where this command runs, as far as that decides what a sandbox can do. */
export interface Surroundings {
  readonly user: { readonly name?: string; readonly id?: number };
  readonly container?: { readonly kind: string; readonly sign: string };
  /** What the administrator has set, where it can be read. */
  readonly kernelSettings: KernelSettings;
}

export type KernelSettings = { readonly [K in keyof typeof kernelFiles]?: string };

const kernelFiles = {
  'user.max_user_namespaces': 'proc/sys/user/max_user_namespaces',
  'kernel.unprivileged_userns_clone': 'proc/sys/kernel/unprivileged_userns_clone',
  'kernel.apparmor_restrict_unprivileged_userns': 'proc/sys/kernel/apparmor_restrict_unprivileged_userns',
  lsm: 'sys/kernel/security/lsm',
} as const;

export function findSurroundings(environment: NodeJS.ProcessEnv, root = '/'): Surroundings {
  return { user: findUser(), container: findContainer(environment, root), kernelSettings: readKernelSettings(root) };
}

function findUser(): Surroundings['user'] {
  const id = process.getuid?.();
  try {
    return { name: userInfo().username, id };
  } catch {
    // A container may run as a number that no name belongs to.
    return { id };
  }
}

/** By what each kind of container leaves for its processes to see, the most telling first. */
function findContainer(environment: NodeJS.ProcessEnv, root: string): Surroundings['container'] {
  if (environment.KUBERNETES_SERVICE_HOST) return { kind: 'kubernetes', sign: 'KUBERNETES_SERVICE_HOST' };
  if (existsSync(join(root, '.dockerenv'))) return { kind: 'docker', sign: '/.dockerenv' };
  if (existsSync(join(root, 'run/.containerenv'))) return { kind: 'podman', sign: '/run/.containerenv' };
  const told = readText(join(root, 'run/systemd/container'));
  if (told) return { kind: told, sign: '/run/systemd/container' };
  if (environment.container) return { kind: environment.container, sign: 'the variable container' };
  const group = /\b(docker|kubepods|containerd|libpod|lxc)\b/.exec(readText(join(root, 'proc/1/cgroup')) ?? '')?.[1];
  return group === undefined ? undefined : { kind: kindOfGroup[group] ?? group, sign: '/proc/1/cgroup' };
}

const kindOfGroup: Readonly<Record<string, string>> = { kubepods: 'kubernetes', libpod: 'podman' };

function readKernelSettings(root: string): KernelSettings {
  const read = Object.entries(kernelFiles).map(([name, file]) => [name, readText(join(root, file))]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
