import { chown, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { cache, root, run } from './run.mjs';

const nobody = { uid: 65534, gid: 65534 };
const leftOut = ['.git', 'coverage', 'dist', relative(root, dirname(cache))].map((part) => join(root, part));
const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin'];

/**
 * For root alone: a copy of the project that user `nobody` can read, with what it takes to run commands there as that
 * user, with the system's Python. Nothing where that user could not run Node or such a Python.
 */
export async function asOrdinaryUser(task) {
  if (process.platform !== 'linux' || process.getuid() !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'mcp-execution-nobody-'));
  try {
    const home = join(folder, 'home');
    await mkdir(home);
    await chown(home, nobody.uid, nobody.gid);
    const options = {
      ...nobody,
      cwd: join(folder, 'project'),
      only: {
        PATH: [dirname(process.execPath), ...systemFolders].join(':'),
        HOME: home,
        TMPDIR: home,
        LANG: 'C.UTF-8',
      },
    };
    await cp(root, options.cwd, { recursive: true, filter: (path) => !leftOut.includes(path) });
    await run('chmod', ['-R', 'a+rX', folder], {});
    return (await canRun(options)) ? await task(options, home) : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function canRun(options) {
  const newEnough = 'import sys; sys.exit(sys.version_info < (3, 10))';
  const checks = [run(process.execPath, ['--version'], { ...options, capture: true })];
  checks.push(run('python3', ['-c', newEnough], { ...options, capture: true }));
  const outcomes = await Promise.allSettled(checks);
  return outcomes.every(({ status, value }) => status === 'fulfilled' && value.code === 0);
}
