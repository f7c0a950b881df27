import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/toolbox.js';
import { childrenOf } from '../engine/processes.js';
import { connectWhenSomeoneListens, memoryOf, type Stage, stateOfProcess } from './stage.js';

export interface Attack {
  /** Goes on after "a script cannot" and "a script can". */
  readonly does: string;
  /** A file of `fixtures` without its ending. */
  readonly fixture: string;
  readonly targets?: (stage: Stage) => JsonObject | Promise<JsonObject>;
  /** What the host sees, before and after: an attack that succeeds leaves it changed. */
  readonly trace?: (stage: Stage) => unknown;
  /** What the script can say only if the attack succeeded. */
  readonly leaks?: (stage: Stage) => string;
  /** What the host does meanwhile; what it comes to is a trace too. */
  readonly meanwhile?: (stage: Stage, ended: AbortSignal) => Promise<unknown>;
  /** Whether it is shown to succeed where nothing is enforced: else why not. */
  readonly off?: 'for root' | 'with sockets' | 'for root, when called' | 'not on this kernel';
  /** Not every way is open to every user and on every machine, even where nothing is enforced. */
  readonly onlySomeWays?: boolean;
  /** Only the trace counts: a script may do what nobody else sees, or be told that it did what it did not. */
  readonly onlyTraceCounts?: boolean;
  /** Without namespaces it is known to succeed, and is said so in docs/security.md. */
  readonly needsNamespaces?: boolean;
  /** The process that imports a script sets up and forks those of its calls: it can fork, and keep parts of their sandbox away. */
  readonly needsPartsOfCalls?: boolean;
  /** There is nothing to attack before a call. */
  readonly notWhenImported?: boolean;
  readonly needs?: 'x86_64';
}

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folderTrace = (stage: Stage) => stage.ask({ do: 'look', folder: stage.victimFolder });
const callsHeard = (stage: Stage) => stage.ask({ do: 'heard' });
const victimTrace = ({ victim }: Stage) => stateOfProcess(victim.pid);
const victimPid = ({ victim }: Stage) => ({ pid: victim.pid, address: victim.address });
const onVictimFolder = ({ victimFile, victimFolder }: Stage) => ({ file: victimFile, folder: victimFolder });

export const attacksOnFiles: readonly Attack[] = [
  {
    does: 'read a file outside its folder',
    fixture: 'reads_a_file',
    targets: ({ secretFile }) => ({ path: secretFile }),
    leaks: ({ secret }) => secret,
  },
  {
    does: 'read the list of users',
    fixture: 'reads_a_file',
    targets: () => ({ path: '/etc/passwd' }),
    leaks: () => readFileSync('/etc/passwd', 'utf8').trim().split('\n').at(-1) ?? '',
  },
  {
    does: 'read the files of this repository',
    fixture: 'reads_a_file',
    targets: () => ({ path: join(repository, 'package.json') }),
    leaks: () => '"description": ',
  },
  {
    does: 'send a file outside along with its result',
    fixture: 'sends_a_file_along',
    targets: ({ secretFile }) => ({ path: secretFile }),
    leaks: ({ secret }) => secret,
    notWhenImported: true,
  },
  {
    does: 'list a folder outside its own',
    fixture: 'lists_a_folder',
    targets: ({ secretFolder }) => ({ folder: secretFolder, entry: 'secret.txt' }),
  },
  {
    does: 'list the repository',
    fixture: 'lists_a_folder',
    targets: () => ({ folder: repository, entry: 'package.json' }),
  },
  {
    does: 'list the home folder of its user',
    fixture: 'lists_a_folder',
    targets: () => ({ folder: homedir(), entry: privateEntryOf(homedir()) }),
    off: 'for root',
  },
  {
    does: 'list the folders of devices',
    fixture: 'lists_a_folder',
    targets: () => ({ folder: '/sys', entry: 'kernel' }),
  },
  {
    does: 'learn of a file outside whether it is there',
    fixture: 'looks_at_metadata',
    targets: ({ secretFile }) => ({ path: secretFile }),
    needsNamespaces: true,
  },
  {
    does: 'watch what happens in a folder outside',
    fixture: 'watches_a_folder',
    targets: ({ secretFolder }) => ({ folder: secretFolder }),
  },
  {
    does: 'open a file outside by its handle',
    fixture: 'reads_by_handle',
    targets: async ({ secretFile, ask }) => ({
      path: secretFile,
      handle: await ask({ do: 'handle', file: secretFile }),
    }),
    leaks: ({ secret }) => secret,
    off: 'for root',
  },
  { does: 'make or open devices', fixture: 'opens_devices', off: 'for root' },
  {
    does: 'read /proc of its host',
    fixture: 'reads_proc',
    targets: () => ({ pid: process.pid }),
  },
  {
    does: 'read /proc of the first Python process of its host',
    fixture: 'reads_proc',
    targets: () => ({ pid: templateProcess() }),
  },
  { does: 'read /proc of its parent', fixture: 'reads_proc', needsPartsOfCalls: true },
  {
    does: 'read /proc of the first process of the machine',
    fixture: 'reads_the_first_process',
    targets: () => ({ name: readFileSync('/proc/1/comm', 'utf8') }),
  },
  {
    does: 'list the processes of the machine',
    fixture: 'lists_processes',
    targets: () => ({ pid: process.pid }),
  },
  {
    does: 'write to a file outside',
    fixture: 'writes_a_file',
    targets: ({ victimFile }) => ({ path: victimFile }),
    trace: folderTrace,
  },
  {
    does: 'write beside its own file',
    fixture: 'creates_and_removes',
    targets: ({ victimFolder, victimFile }) => ({ folder: victimFolder, file: victimFile }),
    trace: folderTrace,
  },
  {
    does: 'truncate a file outside',
    fixture: 'truncates_a_file',
    targets: ({ victimFile }) => ({ path: victimFile }),
    trace: folderTrace,
  },
  { does: 'rename files outside', fixture: 'renames', targets: onVictimFolder, trace: folderTrace },
  { does: 'link to files outside', fixture: 'links', targets: onVictimFolder, trace: folderTrace },
  {
    does: 'change the mode of files outside',
    fixture: 'changes_modes',
    targets: onVictimFolder,
    trace: folderTrace,
    onlyTraceCounts: true,
  },
  {
    does: 'change the owner of files outside',
    fixture: 'changes_owners',
    targets: (stage) => ({ ...onVictimFolder(stage), owner: 12_345 }),
    trace: folderTrace,
    off: 'for root',
  },
  {
    does: 'change the times of files outside',
    fixture: 'changes_times',
    targets: onVictimFolder,
    trace: folderTrace,
    onlyTraceCounts: true,
  },
  {
    does: 'change the attributes of files outside',
    fixture: 'changes_attributes',
    targets: onVictimFolder,
    trace: folderTrace,
  },
  {
    does: 'read what another process left in shared memory and queues',
    fixture: 'reads_shared_memory',
    targets: async ({ shared, secret, ask }) => {
      await ask({ do: 'share', ...shared, text: secret });
      return shared;
    },
    leaks: ({ secret }) => secret,
  },
  {
    does: 'leave something in shared memory and queues that others find',
    fixture: 'leaves_shared_memory',
    targets: ({ shared }) => shared,
    trace: ({ shared, ask }) => ask({ do: 'shared', ...shared }),
    onlyTraceCounts: true,
  },
];

export const attacksOnTheNetwork: readonly Attack[] = [
  {
    does: 'connect by TCP',
    fixture: 'connects_by_tcp',
    targets: ({ sockets }) => sockets,
    trace: callsHeard,
  },
  {
    does: 'send by UDP',
    fixture: 'sends_by_udp',
    targets: ({ sockets }) => ({ port: sockets.udpPort ?? 0 }),
    trace: callsHeard,
  },
  {
    does: 'listen and be called',
    fixture: 'listens',
    targets: ({ freePort }) => ({ port: freePort }),
    meanwhile: ({ freePort }, ended) => connectWhenSomeoneListens(freePort, ended),
  },
  {
    does: 'reach unix sockets by path, by abstract name, or from a pair',
    fixture: 'connects_to_unix_sockets',
    targets: ({ sockets }) => sockets,
    trace: callsHeard,
  },
  { does: 'speak netlink', fixture: 'speaks_netlink' },
  { does: 'open packet and raw sockets', fixture: 'opens_raw_sockets', off: 'for root' },
  { does: 'open a vsock', fixture: 'opens_vsock' },
  { does: 'open sockets of rare families', fixture: 'opens_sockets_of_rare_families' },
  {
    does: 'connect or read by io_uring',
    fixture: 'uses_io_uring',
    targets: ({ sockets, secretFile }) => ({ port: sockets.port ?? 0, path: secretFile }),
    trace: callsHeard,
    leaks: ({ secret }) => secret,
  },
];

const programs = ['shell', 'interpreter', 'from_memory', 'from_its_own_folder', 'by_the_loader'];

export const attacksOnProcesses: readonly Attack[] = [
  ...programs.map((way) => ({
    does: `become another program (${way.replaceAll('_', ' ')})`,
    fixture: 'execs',
    targets: () => ({ way }),
  })),
  { does: 'start a process', fixture: 'starts_a_process', needsPartsOfCalls: true },
  { does: 'start a program', fixture: 'starts_a_program' },
  {
    does: 'send signals to another process',
    fixture: 'signals_a_process',
    targets: ({ victim }) => ({ pid: victim.pid, signals: Array.from({ length: 10 }, (_, index) => 40 + index) }),
    trace: victimTrace,
  },
  { does: 'send signals to its parent', fixture: 'signals_a_process', needsPartsOfCalls: true },
  {
    does: 'send signals to its host',
    fixture: 'signals_a_process',
    targets: () => ({ pid: process.pid, signals: Array.from({ length: 10 }, () => 23) }),
  },
  { does: 'send signals to who made its sockets', fixture: 'signals_the_peer_of_its_sockets', off: 'with sockets' },
  {
    does: 'read the memory of another process',
    fixture: 'reads_memory_of_a_process',
    targets: victimPid,
    leaks: ({ victim }) => victim.secret,
  },
  {
    does: 'write the memory of another process',
    fixture: 'writes_memory_of_a_process',
    targets: victimPid,
    trace: ({ victim }) => memoryOf(victim.pid, victim.address, victim.secret.length),
  },
  { does: 'trace its parent or take its descriptors', fixture: 'traces_its_parent', needsPartsOfCalls: true },
  {
    does: 'take descriptors of its host',
    fixture: 'takes_a_descriptor_of_a_process',
    targets: () => ({ pid: process.pid }),
  },
  {
    does: 'slow another process down',
    fixture: 'slows_a_process_down',
    targets: victimPid,
    trace: victimTrace,
    onlySomeWays: true,
  },
  { does: 'set priorities and limits of its parent', fixture: 'slows_a_process_down' },
];

export const attacksOnTheKernel: readonly Attack[] = [
  { does: 'mount', fixture: 'mounts', off: 'for root' },
  { does: 'make namespaces', fixture: 'leaves_its_namespaces', off: 'for root, when called' },
  {
    does: 'enter the namespaces of another process',
    fixture: 'enters_namespaces',
    targets: () => ({ pid: process.pid }),
    off: 'for root',
  },
  { does: 'change its root', fixture: 'changes_its_root', off: 'for root' },
  {
    does: 'use keyrings',
    fixture: 'uses_keyrings',
    targets: ({ shared }) => ({ name: shared.name }),
  },
  { does: 'load BPF', fixture: 'loads_bpf', off: 'for root' },
  { does: 'handle page faults', fixture: 'handles_page_faults', off: 'for root' },
  { does: 'open perf events', fixture: 'opens_perf_events', targets: victimPid, off: 'for root' },
  { does: 'administer the machine', fixture: 'administers_the_machine', off: 'for root' },
  ...['int_0x80', 'int_0x80_chmod'].map((way) => ({
    does: `call the kernel by the door of 32 bits (${way})`,
    fixture: 'calls_by_another_door',
    targets: ({ victimFile }: Stage) => ({ way, file: victimFile }),
    ...(way === 'int_0x80_chmod' ? { trace: folderTrace } : {}),
    needs: 'x86_64' as const,
  })),
  {
    does: 'call the kernel by the door of x32',
    fixture: 'calls_by_another_door',
    targets: ({ victimFile }) => ({ way: 'x32', file: victimFile }),
    off: 'not on this kernel',
    needs: 'x86_64',
  },
];

export const attacksOnLimits: readonly Attack[] = [
  { does: 'raise its own limits', fixture: 'raises_its_limits', onlySomeWays: true },
];

/** An entry of the folder that no Python is behind, which a sandbox might have to show. */
function privateEntryOf(folder: string): string {
  const python = process.env.PYENV_ROOT ?? '.pyenv';
  return readdirSync(folder).find((name) => !python.endsWith(name) && name !== '.local') ?? '';
}

/** The process of an engine that runs no script, and must not be within reach of one. */
function templateProcess(): number {
  const found = childrenOf(process.pid).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('template'),
  );
  return found ?? process.pid;
}
