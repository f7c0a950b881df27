import type { LinuxAbilities } from '../python/abilities.js';
import type { Examination } from './examination.js';
import type { Paint } from './report.js';
import type { Surroundings } from './surroundings.js';

export function describeSurroundings({ user, container }: Surroundings): string {
  const who = [user.name ?? 'a user without a name', ...(user.id === undefined ? [] : [`(${user.id})`])].join(' ');
  const where = container ? `in a container (${container.kind}, by ${container.sign})` : 'not in a container';
  return `Runs as ${who}, ${where}`;
}

/** What the kernel can do for a sandbox, or why that is not known. */
export function describeAbilities({ abilities, python }: Examination, paint: Paint): readonly string[] {
  const system = python.chosen?.platform ?? process.platform;
  if (abilities?.linux) return describeLinux(abilities, paint);
  if (system !== 'linux') return [`  ${ofOtherSystem[system] ?? onlyLinux}`];
  return [`  ${paint('dim', 'not known: a Python process finds out, and none did')}`];
}

const onlyLinux =
  'Strict is enforced on Linux alone. Here it is refused, unless less is accepted with --enforcement best-effort.';
const ofOtherSystem: Readonly<Record<string, string>> = {
  darwin: `${onlyLinux} Then sandbox-exec of macOS is wrapped around interpreters, which nobody has tested.`,
  win32: `${onlyLinux} Then a job object of Windows limits memory and the number of processes, and ends all of them when it is closed, which nobody has tested.`,
};

function describeLinux(abilities: LinuxAbilities, paint: Paint): readonly string[] {
  const { kernel, machine, landlock, seccomp, namespaces, cgroup } = abilities;
  const good = (text: string) => paint('green', text);
  const bad = (text: string) => paint('red', text);
  const rows: readonly (readonly [string, string])[] = [
    ['kernel', `${kernel}, ${machine}`],
    ['Landlock', landlock.version > 0 ? good(`version ${landlock.version}`) : bad(`none: ${landlock.reason}`)],
    ...missingVersions(landlock.version).map((text) => ['', paint('dim', text)] as const),
    ['seccomp filters', seccomp.works ? good('yes') : bad(`none: ${seccomp.reason ?? 'refused'}`)],
    ['namespaces', namespaces.works ? good(permitted) : bad(`not permitted: ${refusalOf(namespaces)}`)],
    ['processes', describeCount(abilities) ?? bad('their number is not bounded')],
    ['cgroup v2', cgroup.delegated ? good('delegated') : `not delegated: ${cgroup.reason}`],
  ];
  return rows.map(([name, text]) => `  ${name.padEnd(nameWidth)}${text}`);
}

const nameWidth = 17;
const permitted = 'permitted: user, process, mount and network';

/** What the sandbox uses of each version of Landlock, and the kernel that brought it. */
const usesOfLandlock: readonly (readonly [version: number, use: string, kernel: string])[] = [
  [1, 'a list of the files that a script may read and change', '5.13'],
  [2, 'files that a script may move and link from one folder to another', '5.19'],
  [3, 'truncate() where there are no namespaces', '6.2'],
  [5, 'commands to devices that are refused', '6.10'],
  [6, 'signals to other processes that are refused whatever a script may start', '6.12'],
];

function missingVersions(found: number): readonly string[] {
  return usesOfLandlock
    .filter(([version]) => version > found)
    .map(([version, use, kernel]) => `version ${version} (Linux ${kernel}) would bring ${use}`);
}

function refusalOf({ reason, refused }: LinuxAbilities['namespaces']): string {
  return refused.length === 0 ? `${reason}` : `${reason}; refused even alone: ${refused.join(', ')}`;
}

function describeCount({ processes }: LinuxAbilities): string | undefined {
  if (processes.boundedByNamespace) return 'their number is bounded, for root too (pid_max of a namespace)';
  if (processes.countedByUser) return 'their number is bounded, because this user is not root (RLIMIT_NPROC)';
  return undefined;
}
