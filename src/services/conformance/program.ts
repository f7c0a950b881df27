import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CallerError, HostError } from '../../errors.js';
import type { ConformanceSpec } from '../../harness/suite/schema-checks.js';
import { underLock } from '../../lock.js';
import { cacheFolder } from '../../python/cache-folder.js';
import { runInstaller } from '../../python/environment-install.js';

type Revision = ConformanceSpec['revision'];

/** The official conformance suite, ready to be run. */
export interface ConformanceProgram {
  readonly version: string;
  readonly node: string;
  /** The file that Node runs. */
  readonly program: string;
}

export interface ProgramOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly cacheDir?: string;
  readonly note: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** Versions of the suite are pinned, so that a server passes tomorrow what it passes today. */
const versionFor: Readonly<Record<Revision, string>> = { '2025-11-25': '0.1.16', '2026-07-28': '0.2.0-alpha.12' };
const packageName = '@modelcontextprotocol/conformance';
const leastNode = 22;
const newerNode = '24';
const variable = 'MCP_EXECUTION_CONFORMANCE';

/** Where it was put by somebody, as a variable says; otherwise it is installed once, for this user. */
export async function findProgram(revision: Revision, options: ProgramOptions): Promise<ConformanceProgram> {
  const version = versionFor[revision];
  return given(version, options.environment) ?? installed(version, options);
}

const givenSchema = z.array(z.object({ version: z.string(), node: z.string(), program: z.string() }));

function given(version: string, environment: NodeJS.ProcessEnv): ConformanceProgram | undefined {
  const text = environment[variable];
  if (text === undefined || text === '') return undefined;
  let programs: readonly ConformanceProgram[];
  try {
    programs = givenSchema.parse(JSON.parse(text));
  } catch (cause) {
    const form = '[{"version": "0.1.16", "node": "/path/to/node", "program": "/path/to/index.js"}]';
    const message = `The variable ${variable} does not have its form, which is ${form}`;
    throw new CallerError('INVALID_SETTING', message, { setting: variable }, { cause });
  }
  return programs.find((program) => program.version === version);
}

async function installed(version: string, options: ProgramOptions): Promise<ConformanceProgram> {
  const folder = await cacheFolder(options);
  if (folder === undefined) {
    throw new HostError(
      'DEPENDENCIES_FAILED',
      'The official conformance suite cannot be kept: there is no cache folder',
    );
  }
  const parent = join(folder, 'conformance');
  await mkdir(parent, { recursive: true });
  const node = await nodeFor(parent, options);
  const modules = await install(parent, { name: packageName, version }, options);
  return { version, node, program: join(modules, packageName, 'dist', 'index.js') };
}

async function nodeFor(parent: string, options: ProgramOptions): Promise<string> {
  if (Number(process.versions.node.split('.', 1)[0]) >= leastNode) return process.execPath;
  const modules = await install(parent, { name: 'node', version: newerNode }, options, {
    allowScripts: { node: true },
  });
  return join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** A package in a folder of its own; gives the folder of modules. */
async function install(
  parent: string,
  { name, version }: { readonly name: string; readonly version: string },
  { environment, note, signal }: ProgramOptions,
  description: object = {},
): Promise<string> {
  const folder = join(parent, `${name.replace(/^.*\//, '')}-${version}`);
  const stamp = join(folder, 'installed');
  const modules = join(folder, 'node_modules');
  if (existsSync(stamp)) return modules;
  await underLock(
    `${folder}.lock`,
    async () => {
      if (existsSync(stamp)) return;
      note(`Installing ${name}@${version}, once, for the conformance check`);
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, ...description }));
      const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`];
      await runNpm(args, { folder, environment, signal }).catch((cause: unknown) => {
        throw signal?.aborted ? cause : notInstalled(`${name}@${version}`, cause);
      });
      await writeFile(stamp, '');
    },
    { signal, onWait: () => note(`Waiting for another process that installs ${name}@${version}`) },
  );
  return modules;
}

function notInstalled(what: string, cause: unknown): HostError {
  const said = cause instanceof Error ? cause.message : String(cause);
  const advice = `check that npm runs here and reaches its registry, or name a copy with the variable ${variable}`;
  return new HostError('DEPENDENCIES_FAILED', `npm could not install ${what}; ${advice}\n${said}`, {}, { cause });
}

function runNpm(args: readonly string[], options: Parameters<typeof runInstaller>[2]): Promise<void> {
  const npm = options.environment.npm_execpath;
  if (npm?.endsWith('.js')) return runInstaller(process.execPath, [npm, ...args], options);
  return process.platform === 'win32'
    ? runInstaller('cmd.exe', ['/d', '/c', 'npm', ...args], options)
    : runInstaller('npm', args, options);
}
