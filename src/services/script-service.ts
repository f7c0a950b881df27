import { createHash } from 'node:crypto';
import type { Settings } from '../config.js';
import { createScriptToolbox, type ScriptToolbox } from '../engine/toolbox/toolbox.js';
import { CallerError } from '../errors.js';
import type { OpenedService, ServiceDefinition, ServiceSource } from '../gateway/service.js';
import type { Log } from '../log.js';
import { type Exploration, explore } from '../manifest/explore.js';
import type { Manifest, ManifestScript } from '../manifest/manifest.js';
import type { CallOptions } from '../toolbox.js';
import type { Engines } from './engines.js';
import { withPatience } from './patience.js';
import { pythonFor } from './python-for.js';

export interface Surroundings {
  readonly log: Log;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly engines: Engines;
  /** Edits of scripts are picked up; never those of uploaded ones, which change by being replaced. */
  readonly watches: boolean;
}

type ScriptSource = Extract<ServiceSource, { kind: 'script' }>;

/** Scripts on this machine as a service. */
export async function openScripts(
  definition: ServiceDefinition,
  source: ScriptSource,
  settings: Settings,
  surroundings: Surroundings,
): Promise<OpenedService> {
  const { environment, signal, engines } = surroundings;
  const log = surroundings.log.child({ service: definition.id });
  const { targets, only, exclude } = source;
  const { python, cacheDir } = settings;
  const findTools = () => explore(targets, { only, exclude, python, cacheDir, environment, signal, log });
  const exploration = await findTools();
  refuseNothing(exploration, definition.id);
  const { manifest, problems, notes } = exploration;
  const watches = surroundings.watches && definition.owner === undefined;
  const shared = engines.share(settings);
  const install = (script: ManifestScript) =>
    pythonFor(script, settings, {
      environment,
      signal,
      onProgress: (line) => log.info('packages', { script: script.path, line }),
    });
  const toolbox = createScriptToolbox({
    manifest,
    engine: shared.get,
    ownsEngine: false,
    tenant: definition.owner,
    pythonFor: definition.owner === undefined ? install : withPatience(install),
    keepsVersions: watches,
    log,
  });
  const stopWatching = watches ? await watch(toolbox, targets, manifest, findTools, log) : () => {};
  return {
    toolbox: {
      ...toolbox,
      call: (name, args, options) => toolbox.call(name, args, { ...options, session: sessionOf(options) }),
      async close() {
        stopWatching();
        await toolbox.close();
        await shared.release();
      },
    },
    get version() {
      return versionOf(toolbox.manifest, settings);
    },
    description: descriptionOf(manifest),
    keepsState: settings.isolation !== 'call',
    timeoutMs: settings.timeoutMs,
    notes: [...problems.map(({ path, error }) => `${path}: ${error.message}`), ...notes],
  };
}

/** Calls that name no session share one with the other such calls of their caller, and with nobody else. */
function sessionOf({ session, caller = '' }: CallOptions = {}): string {
  return session ?? `caller ${caller}`;
}

async function watch(
  toolbox: ScriptToolbox,
  targets: readonly string[],
  manifest: Manifest,
  findTools: () => Promise<Exploration>,
  log: Log,
): Promise<() => void> {
  const { watchTargets } = await import('./watching.js');
  return watchTargets({ targets, manifest, findTools, toolbox, log }).close;
}

function refuseNothing({ manifest, problems }: Exploration, id: string): void {
  const [first] = problems;
  if (first && manifest.scripts.length === 0) throw first.error;
  if (manifest.tools.some(({ enabled }) => enabled)) return;
  const message = `Service ${id} has no tool; mcp-exec discover --explain says of each function why, and what to change`;
  throw new CallerError('INVALID_SCRIPT', message);
}

const versions = new WeakMap<Manifest, string>();

/** Worked out once per manifest: it is asked for with every call. */
function versionOf(manifest: Manifest, settings: Settings): string {
  const known = versions.get(manifest);
  if (known !== undefined) return known;
  const version = createHash('sha256')
    .update(JSON.stringify([manifest, settings]))
    .digest('hex')
    .slice(0, 16);
  versions.set(manifest, version);
  return version;
}

const longestDescription = 2000;

function descriptionOf({ scripts }: Manifest): string | undefined {
  const told = scripts.flatMap(({ description }) => (description ? [description] : []));
  return told.length === 0 ? undefined : told.join('\n\n').slice(0, longestDescription);
}
