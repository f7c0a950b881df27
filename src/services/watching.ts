import { dirname, join, resolve } from 'node:path';
import type { ScriptToolbox } from '../engine/toolbox/toolbox.js';
import { ExecutionError } from '../errors.js';
import type { Log } from '../log.js';
import type { Exploration } from '../manifest/explore.js';
import type { Manifest } from '../manifest/manifest.js';
import { type Watch, watchFiles } from '../manifest/watch.js';
import type { StdioServer } from '../server/stdio.js';

export interface Watching {
  readonly targets: readonly string[];
  /** What is served now. */
  readonly manifest: Manifest;
  readonly findTools: () => Promise<Exploration>;
  readonly toolbox: Pick<ScriptToolbox, 'listTools' | 'replace' | 'warm'>;
  /** Told where the list of tools is another one. */
  readonly server?: Pick<StdioServer, 'toolsChanged'>;
  readonly log: Log;
}

/** Serves scripts as they are edited. What cannot be understood leaves the tools as they were, until it is mended. */
export function watchTargets(watching: Watching): { close(): void } {
  const { targets, findTools, toolbox, server, log } = watching;
  let served = watching.manifest;
  let watch: Watch | undefined;
  let isClosed = false;
  let isRenewing = false;
  let hasChangedSince = false;
  watchServed();
  return {
    close() {
      isClosed = true;
      watch?.close();
    },
  };

  function watchServed(): void {
    watch?.close();
    if (isClosed) return;
    watch = watchFiles(pathsOf(targets, served), () => void renew(), { known: hashesOf(served) });
  }

  /** One look at a time: of two at once the earlier could be the slower, and have the last word. */
  async function renew(): Promise<void> {
    hasChangedSince = true;
    if (isRenewing) return;
    isRenewing = true;
    while (hasChangedSince && !isClosed) {
      hasChangedSince = false;
      await look();
    }
    isRenewing = false;
  }

  async function look(): Promise<void> {
    try {
      await serve(await findTools());
    } catch (error) {
      if (isClosed) return;
      const told = error instanceof ExecutionError ? { code: error.code, message: error.message } : { error };
      log.error('the change cannot be served: the tools are as before', told);
    }
  }

  async function serve({ manifest, problems }: Exploration): Promise<void> {
    for (const { path, error } of problems) {
      const { code, message } = error;
      log.script.error('the change cannot be served: the tools of the script are as before', {
        script: path,
        code,
        message,
      });
    }
    const next = withKept(manifest, served, new Set(problems.map(({ path }) => path)));
    if (isClosed || JSON.stringify(next) === JSON.stringify(served)) return;
    const before = JSON.stringify(await toolbox.listTools());
    toolbox.replace(next);
    const isSameList = before === JSON.stringify(await toolbox.listTools());
    const hasOtherFiles = pathsOf(targets, served).join('\n') !== pathsOf(targets, next).join('\n');
    served = next;
    log.info('the change is served', { tools: next.tools.filter((tool) => tool.enabled).length });
    if (!isSameList) server?.toolsChanged();
    if (hasOtherFiles) watchServed();
    toolbox.warm().catch((error: unknown) => log.debug('the warm-up ended early', { error }));
  }
}

/** Scripts that cannot be read at the moment stay as they were served. */
function withKept(next: Manifest, served: Manifest, broken: ReadonlySet<string>): Manifest {
  if (broken.size === 0) return next;
  const scripts = served.scripts.filter(({ path }) => broken.has(path));
  const tools = served.tools.filter(({ run }) => broken.has(run.script));
  const names = new Set(tools.map(({ name }) => name));
  const hasClash = next.tools.some(({ name }) => names.has(name));
  return hasClash ? served : { ...next, scripts: [...next.scripts, ...scripts], tools: [...next.tools, ...tools] };
}

function pathsOf(targets: readonly string[], { scripts }: Manifest): string[] {
  const read = scripts.flatMap(({ path, files }) => [
    path,
    ...files.map((file) => file.path),
    join(dirname(path), 'requirements.txt'),
  ]);
  return [...new Set([...targets.map((target) => resolve(target)), ...read])];
}

function hashesOf({ scripts }: Manifest): ReadonlyMap<string, string> {
  return new Map(scripts.flatMap(({ path, sha256, files }) => [[path, sha256], ...files.map(hashOf)]));
}

function hashOf({ path, sha256 }: { readonly path: string; readonly sha256: string }): [string, string] {
  return [path, sha256];
}
