import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../errors.js';
import { underLock } from '../lock.js';
import type { Interpreter } from './ask.js';
import { cacheFolder } from './cache-folder.js';
import { candidateOfSetting } from './candidates.js';
import { cancelled } from './environment-install.js';
import { type Installation, installWithPip, installWithUv } from './environment-installers.js';
import {
  type InstallMode,
  type Packages,
  refuseUnsafe,
  stampsOfFiles,
  withFilesNamed,
} from './environment-packages.js';
import { satisfies } from './environment-version.js';
import { findPython } from './interpreter.js';

export interface EnvironmentRequest {
  readonly dependencies: Packages;
  /** A version specifier of PEP 440. */
  readonly requiresPython?: string;
  /** The Python that the environment is made from, unless it does not fit. */
  readonly base: Interpreter;
  /** The script is not trusted: it does not get at variables of the environment, or settings of its own, by way of an installer. */
  readonly strict?: boolean;
  /** `wheels`: nothing of a package runs while it is installed. */
  readonly mode: InstallMode;
  /** What relative paths among the packages start from. */
  readonly folder?: string;
  readonly cacheDir?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
}

export interface Environment {
  /** The interpreter of the environment, which sees the packages. */
  readonly python: string;
  /** The folder that the packages are in. */
  readonly packages: string;
  /** What it was made from. */
  readonly base: Interpreter;
}

type Resolved = EnvironmentRequest & { readonly dependencies: ReturnType<typeof withFilesNamed> };

const newestMinor = 14;
const oldestMinor = 10;

/** An environment that has the packages: one made earlier for the same, or a new one. Nothing of ours is in it. */
export async function prepareEnvironment(asked: EnvironmentRequest): Promise<Environment> {
  const { signal, mode, strict } = asked;
  const { folder = process.cwd() } = asked;
  const dependencies = withFilesNamed(asked.dependencies, folder, strict);
  const request = { ...asked, dependencies };
  refuseUnsafe(dependencies, mode, strict, folder);
  refuseUnsafe({ packages: dependencies.constraints }, mode, strict, folder);
  if (signal?.aborted) throw cancelled(signal);
  const base = await fittingPython(request);
  const place = await placeOf(request, base);
  const environment = { python: pythonOf(place), packages: packagesIn(place, base), base };
  if (isReady(place)) return environment;
  const lock = {
    signal,
    onWait: () => request.onProgress?.('Another process is installing the same packages; waiting for it'),
  };
  const make = () => (isReady(place) ? undefined : makeEnvironment(request, base, place));
  await underLock(`${place}.lock`, async () => make(), lock).catch((error: unknown) => {
    throw signal?.aborted ? cancelled(signal) : error;
  });
  return environment;
}

async function makeEnvironment(request: Resolved, base: Interpreter, place: string): Promise<void> {
  const { packages, constraints } = request.dependencies;
  const { environment = process.env, onProgress, signal, folder = process.cwd(), mode } = request;
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { mode: 0o700 });
  try {
    const installation: Installation = {
      base: base.executable,
      venv: venvOf(place),
      python: pythonOf(place),
      what: [...(await listed('-c', place, constraints)), ...(await listed('-r', place, packages))],
      mode,
      strict: request.strict,
      run: { folder, environment: quietly(environment), onProgress, signal },
    };
    const uv = (await candidateOfSetting('uv', environment)).command?.path;
    const counted = packages.length === 1 ? '1 package' : `${packages.length} packages`;
    onProgress?.(`Installing ${counted} for Python ${base.version} with ${uv === undefined ? 'pip' : 'uv'}`);
    await (uv === undefined ? installWithPip(installation) : installWithUv(uv, installation));
    await writeFile(markerOf(place), `${JSON.stringify({ python: base.version, packages })}\n`);
  } catch (error) {
    await rm(place, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** Requirements as an installer takes them: in a file. */
async function listed(flag: '-r' | '-c', place: string, lines: readonly string[]): Promise<readonly string[]> {
  if (lines.length === 0) return [];
  const file = join(place, flag === '-r' ? 'packages.txt' : 'constraints.txt');
  await writeFile(file, `${lines.join('\n')}\n`);
  return [flag, file];
}

/** Without what would lead the installers to another environment. */
function quietly(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { VIRTUAL_ENV, PYTHONHOME, PYTHONPATH, CONDA_PREFIX, UV_PROJECT_ENVIRONMENT, ...rest } = environment;
  return rest;
}

async function placeOf(request: Resolved, base: Interpreter): Promise<string> {
  const { cacheDir, environment, mode, folder, dependencies } = request;
  const cache = await cacheFolder({ cacheDir, environment });
  if (cache === undefined) {
    const message =
      'There is no folder to install packages to: the cache folder cannot be written. Name one with --cache-dir.';
    throw new HostError('DEPENDENCIES_FAILED', message);
  }
  const files = stampsOfFiles(dependencies.packages, folder ?? process.cwd());
  const parts = [mode, base.version, base.cacheTag, base.executable, ...listsOf(dependencies), files];
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  const environments = join(cache, 'environments');
  await mkdir(environments, { mode: 0o700 }).catch(() => undefined);
  return join(environments, key);
}

function listsOf({ packages, constraints }: Resolved['dependencies']): readonly (readonly string[])[] {
  return [packages.map(normalised), constraints.map(normalised)];
}

function normalised(requirement: string): string {
  return requirement.trim().replace(/\s+/g, ' ');
}

/** The base, or where the script cannot run with it, another Python of this machine. */
export async function fittingPython({
  base,
  requiresPython,
  environment,
  cacheDir,
}: Pick<EnvironmentRequest, 'base' | 'requiresPython' | 'environment' | 'cacheDir'>): Promise<Interpreter> {
  if (requiresPython === undefined) return base;
  const answer = satisfies(base.versionInfo, requiresPython);
  if (answer === undefined)
    throw unfit(`The script's requires-python ${JSON.stringify(requiresPython)} cannot be read`);
  if (answer) return base;
  for (let minor = newestMinor; minor >= oldestMinor; minor--) {
    const other = await findPython({ python: `python3.${minor}`, environment, cacheDir }).catch(() => undefined);
    if (other !== undefined && satisfies(other.versionInfo, requiresPython) === true) return other;
  }
  throw unfit(
    `The script asks for Python ${requiresPython}, and ${base.executable} is ${base.version}; no other python3.x on the PATH fits. Install one, or name one with --python`,
  );
}

function unfit(message: string): HostError {
  return new HostError('PYTHON_NOT_FOUND', `${message}.`);
}

function isReady(place: string): boolean {
  return existsSync(markerOf(place)) && existsSync(pythonOf(place));
}

/** Written last: without it, the environment is half made. */
function markerOf(place: string): string {
  return join(place, 'ready.json');
}

function venvOf(place: string): string {
  return join(place, 'venv');
}

function packagesIn(place: string, { versionInfo: [major, minor] }: Interpreter): string {
  const library = process.platform === 'win32' ? ['Lib'] : ['lib', `python${major}.${minor}`];
  return join(venvOf(place), ...library, 'site-packages');
}

function pythonOf(place: string): string {
  const [folder, name] = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
  return join(venvOf(place), folder, name);
}
