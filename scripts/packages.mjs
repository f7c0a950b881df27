import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cache, run } from './run.mjs';

const packages = ['numpy', 'pandas', 'pydantic', 'pillow', 'matplotlib', 'coverage'];

/** The same Python with the packages that some tests need, in an environment of its own; undefined where it cannot be had. */
export function withPackages(interpreter) {
  return environmentWith(packages, 'packages', interpreter);
}

/** The path of a Python that has these packages, made at the first use. */
export async function environmentWith(packages, name, { executable, version }) {
  const folder = join(cache, `${name}-${version}`);
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python3');
  const stamp = join(folder, 'installed');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === packages.join()) return python;
  console.error(`Installing ${packages.join(', ')} for what needs them ...`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  const steps = [
    [executable, ['-m', 'venv', folder]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:', ...packages]],
  ];
  for (const [command, args] of steps) {
    const { code, output } = await run(command, args, { capture: true }).catch((error) => ({
      code: 1,
      output: `${error}`,
    }));
    if (code === 0) continue;
    console.error(output.slice(-2000));
    return undefined;
  }
  await writeFile(stamp, packages.join());
  return python;
}
