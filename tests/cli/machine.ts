import { join } from 'node:path';
import { createFolder, writeExecutable } from '../interpreter/scripts.js';

export interface Machine {
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** What a Linux machine says that has everything. */
export const everyAbility = {
  linux: true,
  kernel: '6.14.0',
  machine: 'x86_64',
  landlock: { version: 6 },
  seccomp: { works: true },
  namespaces: { works: true },
  processes: { boundedByNamespace: true, countedByUser: false },
  cgroup: { delegated: false, reason: 'control groups of version 2 are not mounted' },
} as const;

interface Claims {
  /** undefined: it does not say. */
  readonly abilities?: object;
  readonly platform?: string;
}

/** A machine with one Python that claims what it is told to claim, and runs nothing. */
export async function createMachine({ abilities, platform = 'linux' }: Claims = {}): Promise<Machine> {
  const home = await createFolder();
  const executable = join(home, 'bin/python3');
  const interpreter = {
    executable,
    version: '3.12.1',
    versionInfo: [3, 12, 1],
    prefix: '/nowhere',
    basePrefix: '/nowhere',
    cacheTag: 'cpython',
    magic: 'a70d0d0a',
    platform,
    canFork: platform === 'linux',
  };
  const said = abilities === undefined ? 'no abilities' : `mcp-execution-abilities:${JSON.stringify(abilities)}`;
  await writeExecutable(
    executable,
    `case "$*" in`,
    `  *abilities) echo '${said}' ;;`,
    `  *) echo 'mcp-execution-interpreter:${JSON.stringify(interpreter)}' ;;`,
    'esac',
  );
  return {
    home,
    environment: { HOME: home, PATH: join(home, 'bin'), XDG_CACHE_HOME: join(home, 'cache') },
  };
}
