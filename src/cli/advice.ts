import type { LinuxAbilities } from '../python/abilities.js';
import type { KernelSettings, Surroundings } from './surroundings.js';

interface Found {
  readonly abilities: LinuxAbilities;
  readonly surroundings: Surroundings;
  /** The interpreter, which an AppArmor profile would have to name. */
  readonly executable: string;
}

/** What could be changed about this machine so that strict enforces more; only what applies here. */
export function advise(found: Found): readonly string[] {
  const { landlock, seccomp, namespaces } = found.abilities;
  if (!knownMachines.includes(found.abilities.machine)) return [unknownMachine(found.abilities.machine)];
  return [
    ...(landlock.version === 0 ? adviseOnLandlock(found) : []),
    ...(seccomp.works ? [] : [withoutSeccomp]),
    ...(namespaces.works ? adviseOnCounting(found) : adviseOnNamespaces(found)),
    ...(namespaces.works || !isBelowScopes(landlock.version) ? [] : [withoutScopes]),
  ];
}

const knownMachines = ['x86_64', 'aarch64'];
const scopesFrom = 6;
const withoutSeccomp = 'Use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER), without which strict is refused.';
const withoutScopes =
  'Use a kernel of version 6.12 or newer: its Landlock 6 keeps the processes of a script from signalling others, which --allow-run needs where there are no namespaces.';
const uncounted =
  'Run mcp-exec as another user than root, or on a kernel of version 6.14 or newer: the number of threads of a strict script is not bounded for root here.';

function unknownMachine(machine: string): string {
  return `Use a machine of the kind ${knownMachines.join(' or ')}: the sandbox does not know the system calls of ${machine}.`;
}

function isBelowScopes(version: number): boolean {
  return version > 0 && version < scopesFrom;
}

function adviseOnLandlock({ abilities, surroundings }: Found): readonly string[] {
  const { lsm } = surroundings.kernelSettings;
  if (lsm !== undefined && !lsm.split(',').includes('landlock')) {
    return [`Add landlock to the security modules on the command line of the kernel and reboot: lsm=landlock,${lsm}`];
  }
  const inContainer =
    surroundings.container === undefined
      ? ''
      : ', and a container whose seccomp profile permits landlock_create_ruleset, landlock_add_rule and landlock_restrict_self';
  return [
    `Use a kernel of version 5.13 or newer with Landlock${inContainer}; here ${abilities.landlock.reason ?? 'there is none'}.`,
  ];
}

function adviseOnCounting({ abilities: { processes } }: Found): readonly string[] {
  return processes.boundedByNamespace || processes.countedByUser ? [] : [uncounted];
}

/** A setting of the kernel that forbids them is the reason; else a container is, where this is one. */
function adviseOnNamespaces({ abilities, surroundings, executable }: Found): readonly string[] {
  const { kernelSettings, user, container } = surroundings;
  const bySetting = user.id === 0 ? adviseOnLimit(kernelSettings) : adviseOnSettings(kernelSettings, executable);
  if (bySetting.length > 0) return bySetting;
  if (container) return [ofContainer[container.kind] ?? ofOtherContainer];
  return [
    `Find out what keeps this process from making namespaces, as a security module or the manager of services may: ${abilities.namespaces.reason}.`,
  ];
}

function adviseOnLimit(settings: KernelSettings): readonly string[] {
  return settings['user.max_user_namespaces'] === '0'
    ? ['Permit namespaces: sysctl -w user.max_user_namespaces=10000']
    : [];
}

function adviseOnSettings(settings: KernelSettings, executable: string): readonly string[] {
  const sentences = [...adviseOnLimit(settings)];
  if (settings['kernel.unprivileged_userns_clone'] === '0') {
    sentences.push('Permit namespaces to users: sysctl -w kernel.unprivileged_userns_clone=1');
  }
  if (settings['kernel.apparmor_restrict_unprivileged_userns'] === '1') {
    sentences.push(
      `Permit namespaces in AppArmor: a profile for ${executable} with the rule userns, or for every program: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`,
    );
  }
  return sentences;
}

const docker =
  'Permit namespaces in the container: docker run --security-opt seccomp=PROFILE.json, with a profile that permits clone, mount, umount2, pivot_root and mount_setattr (or seccomp=unconfined), and --security-opt apparmor=unconfined --security-opt systempaths=unconfined';
const ofOtherContainer =
  'Permit namespaces in the container: its seccomp profile has to permit clone, mount, umount2, pivot_root and mount_setattr, and nothing may be mounted over parts of /proc.';

const ofContainer: Readonly<Record<string, string>> = {
  docker,
  podman: 'Permit namespaces in the container: podman run --security-opt seccomp=unconfined --security-opt unmask=ALL',
  kubernetes:
    'Permit namespaces in the pod: in its security context seccompProfile with type Unconfined or a profile of your own, and procMount: Unmasked, which needs hostUsers: false',
};
