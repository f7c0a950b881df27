import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cache, runNpm } from './run.mjs';

/**
 * The folder of packages that are installed beside the project at their first use, because they serve only tests or
 * the bench; undefined where they cannot be had.
 */
export async function installedBeside(name, packages, description = {}) {
  const folder = join(cache, name);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp)) return join(folder, 'node_modules');
  console.error(`Installing ${packages.join(', ')} for what needs them ...`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, ...description }));
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...packages];
  const { code, output } = await runNpm(args, { capture: true, cwd: folder });
  if (code !== 0) {
    console.error(output.slice(-2000));
    return undefined;
  }
  await writeFile(stamp, '');
  return join(folder, 'node_modules');
}
