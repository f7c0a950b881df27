import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InstallMode, Packages } from './environment-packages.js';

/** What a script says of its surroundings. */
export interface ScriptNeeds {
  readonly path: string;
  readonly requiresPython?: string;
  readonly dependencies?: Packages;
}

export interface EnvironmentSettings {
  readonly python?: string;
  readonly cacheDir?: string;
  readonly installPackages: InstallMode | 'off';
  /** The script is not trusted, and neither are its packages. */
  readonly strict?: boolean;
}

/**
 * An interpreter by its path; or a folder of packages beside it, of which nothing runs, not even at the interpreter's start,
 * before the process is in its sandbox.
 */
export type ChosenPython = string | { readonly executable: string; readonly packages: string };

/**
 * The Python that a script needs, with its packages installed; undefined where the usual search finds it: a Python was
 * named, the script has a `.venv` beside it, it asks for nothing, or nothing is to be installed.
 */
export async function environmentFor(
  { path, dependencies, requiresPython }: ScriptNeeds,
  { python, cacheDir, installPackages, strict = false }: EnvironmentSettings,
  onProgress?: (line: string) => void,
  signal?: AbortSignal,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ChosenPython | undefined> {
  const folder = dirname(path);
  const asksForNothing = requiresPython === undefined && (dependencies?.packages ?? []).length === 0;
  if (python !== undefined || installPackages === 'off' || asksForNothing) return undefined;
  if (!strict && existsSync(join(folder, '.venv', 'pyvenv.cfg'))) return undefined;
  const { findPython } = await import('./interpreter.js');
  const base = await findPython({ ...(!strict && { scriptDir: folder }), cacheDir, environment });
  const { fittingPython, prepareEnvironment } = await import('./environment.js');
  if (dependencies === undefined || dependencies.packages.length === 0) {
    const fitting = await fittingPython({ base, requiresPython, environment, cacheDir });
    return fitting === base ? undefined : fitting.executable;
  }
  const request = { dependencies, requiresPython, base, mode: installPackages, folder, strict };
  const made = await prepareEnvironment({ ...request, cacheDir, environment, onProgress, signal });
  return strict ? { executable: made.base.executable, packages: made.packages } : made.python;
}
