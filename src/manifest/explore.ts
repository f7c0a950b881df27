import { join } from 'node:path';
import { LimitError } from '../errors.js';
import type { Log } from '../log.js';
import { cacheFolder } from '../python/cache-folder.js';
import { pruneFound, recallFound, rememberFound } from './cache.js';
import { type Discovered, type FoundScript, isProblem, type LeftOut, type ScriptProblem } from './found.js';
import type { Manifest } from './manifest.js';
import { keepNamesApart } from './names.js';
import { select } from './selection.js';
import { findTargets } from './targets.js';

export type { LeftOut, ScriptProblem } from './found.js';

export interface ExploreOptions {
  /** The interpreter whose parser reads the scripts. */
  readonly python?: string;
  readonly cacheDir?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Names of tools or functions, or patterns with * and ?: these alone are enabled. */
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
  /** false: nothing is taken from the cache and nothing is kept there. */
  readonly useCache?: boolean;
  readonly signal?: AbortSignal;
  readonly log?: Log;
}

export interface Exploration {
  /** Paths are absolute, names are kept apart, and `enabled` is as the selection says. */
  readonly manifest: Manifest;
  readonly problems: readonly ScriptProblem[];
  readonly leftOut: readonly LeftOut[];
  /** What was done on the way that the caller may want to know. */
  readonly notes: readonly string[];
  /** No Python was needed. */
  readonly fromCache: boolean;
}

/**
 * The tools of scripts, of folders of scripts, and of manifests. Where the cache knows them all, nothing but the files
 * is looked at: this is on the way to a server's first answer, so everything else is loaded when it is needed.
 */
export async function explore(paths: readonly string[], options: ExploreOptions = {}): Promise<Exploration> {
  const { signal, only, exclude } = options;
  if (signal?.aborted) throw new LimitError('CANCELLED', 'Discovery was cancelled', {}, { cause: signal.reason });
  const targets = findTargets(paths);
  const given = targets.manifests.length === 0 ? undefined : await readGiven(targets.manifests);
  const own = targets.scripts.filter((script) => given?.holds(script) !== true);
  const { discovered, fromCache } = await findScripts([...own, ...(given?.stale ?? [])], options);
  const found = discovered.filter((one): one is FoundScript => !isProblem(one));
  const problems = discovered.filter(isProblem);
  const parts = given === undefined ? found : given.join(found);
  const tools = keepNamesApart(parts.flatMap((part) => part.tools));
  return {
    manifest: {
      manifestVersion: 1,
      scripts: parts.map((part) => part.script),
      tools: select(tools, { only, exclude }, problems.length === 0),
    },
    problems,
    leftOut: parts.flatMap((part) => part.leftOut),
    notes: given?.notes ?? [],
    fromCache,
  };
}

async function readGiven(files: readonly string[]) {
  const { readGivenManifests } = await import('./given.js');
  return readGivenManifests(files);
}

interface Findings {
  readonly discovered: readonly Discovered[];
  readonly fromCache: boolean;
}

async function findScripts(scripts: readonly string[], options: ExploreOptions): Promise<Findings> {
  if (scripts.length === 0) return { discovered: [], fromCache: true };
  const folder = options.useCache === false ? undefined : await folderOfManifests(options);
  const known = new Map<string, Discovered | undefined>(
    scripts.map((script) => [script, folder === undefined ? undefined : recallFound(folder, script)]),
  );
  const unknown = scripts.filter((script) => known.get(script) === undefined);
  if (unknown.length > 0) {
    const { discoverScripts } = await import('./process.js');
    const fresh = await discoverScripts(unknown, options);
    for (const one of fresh) known.set(isProblem(one) ? one.path : one.script.path, one);
    if (folder !== undefined) await rememberAll(folder, fresh);
  }
  return { discovered: scripts.flatMap((script) => known.get(script) ?? []), fromCache: unknown.length === 0 };
}

async function folderOfManifests({ cacheDir, environment }: ExploreOptions): Promise<string | undefined> {
  const folder = await cacheFolder({ cacheDir, environment });
  return folder === undefined ? undefined : join(folder, 'manifests');
}

async function rememberAll(folder: string, discovered: readonly Discovered[]): Promise<void> {
  await Promise.all(discovered.map((one) => (isProblem(one) ? undefined : rememberFound(folder, one))));
  const isTimeToLook = discovered.length > 50 || Math.random() < 0.02;
  if (isTimeToLook) await pruneFound(folder);
}
