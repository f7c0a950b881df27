import { HostError } from '../errors.js';
import { type RunOptions, runInstaller } from './environment-install.js';
import type { InstallMode } from './environment-packages.js';

export interface Installation {
  /** The Python that the environment is made from. */
  readonly base: string;
  /** The folder of the environment, and the Python that will be in it. */
  readonly venv: string;
  readonly python: string;
  /** The files with requirements and constraints, each after its flag. */
  readonly what: readonly string[];
  readonly mode: InstallMode;
  readonly strict?: boolean;
  readonly run: RunOptions;
}

export async function installWithUv(uv: string, installation: Installation): Promise<void> {
  const { base, venv, python, what, mode, strict, run } = installation;
  // Settings are looked for beside the script as well.
  const settings = strict ? ['--no-config'] : [];
  await runInstaller(
    uv,
    [...settings, 'venv', '--quiet', '--no-project', '--no-python-downloads', '--python', base, venv],
    run,
  );
  await runInstaller(uv, [...settings, 'pip', 'install', '--python', python, ...onlyWheels(mode), ...what], run);
}

export async function installWithPip({ base, venv, python, what, mode, run }: Installation): Promise<void> {
  await runInstaller(base, ['-I', '-m', 'venv', '--without-pip', venv], run);
  const flags = ['--no-input', '--disable-pip-version-check', '--progress-bar', 'off'];
  const install = ['install', ...flags, ...onlyWheels(mode), ...what];
  try {
    // The pip that is there already, told to install elsewhere: giving the environment one of its own takes seconds.
    await runInstaller(base, ['-I', '-m', 'pip', '--python', python, ...install], run);
  } catch (error) {
    if (!(error instanceof HostError) || !/No module named pip|no such option: --python/.test(error.message))
      throw error;
    await runInstaller(python, ['-I', '-m', 'ensurepip'], run);
    await runInstaller(python, ['-I', '-m', 'pip', ...install], run);
  }
}

function onlyWheels(mode: InstallMode): readonly string[] {
  return mode === 'wheels' ? ['--only-binary', ':all:'] : [];
}
