import { statSync } from 'node:fs';
import { CallerError } from '../errors.js';
import { hasHash } from './cache.js';
import type { FoundScript } from './found.js';
import type { Manifest, ManifestScript, ManifestTool } from './manifest.js';
import { readManifest } from './read-write.js';
import { missing } from './targets.js';

/** Manifests that were given instead of scripts: what they say holds, for scripts that are as they were. */
export interface GivenManifests {
  holds(script: string): boolean;
  /** Scripts that changed since, and are to be discovered again. */
  readonly stale: readonly string[];
  readonly notes: readonly string[];
  /** Everything together; what was discovered again with the user's edits, what the manifests do not know before it. */
  join(found: readonly FoundScript[]): readonly FoundScript[];
}

export async function readGivenManifests(files: readonly string[]): Promise<GivenManifests> {
  const written = new Map<string, Written>();
  for (const file of files) {
    for (const one of scriptsOf(await readManifest(file), file)) {
      if (!written.has(one.script.path)) written.set(one.script.path, one);
    }
  }
  const stale = [...written.values()].filter(({ script }) => !isCurrent(script));
  return {
    holds: (script) => written.has(script),
    stale: stale.map(({ script }) => script.path),
    notes: stale.map(
      ({ script, file }) =>
        `${script.path} changed after ${file} was made: it was discovered again, and its tools keep the name and the enabled of the manifest`,
    ),
    join(found) {
      const foundByPath = new Map(found.map((one) => [one.script.path, one]));
      const isStale = new Set(stale.map(({ script }) => script.path));
      return [
        ...found.filter(({ script }) => !written.has(script.path)),
        ...[...written.values()].flatMap(({ script, tools }) => {
          if (!isStale.has(script.path)) return { script, tools, leftOut: [] };
          const again = foundByPath.get(script.path);
          return again === undefined ? [] : { ...again, tools: again.tools.map((tool) => withEdits(tool, tools)) };
        }),
      ];
    },
  };
}

interface Written {
  readonly file: string;
  readonly script: ManifestScript;
  readonly tools: readonly ManifestTool[];
}

function scriptsOf({ scripts, tools }: Manifest, file: string): readonly Written[] {
  return scripts.map((script) => {
    const found = statSync(script.path, { throwIfNoEntry: false });
    const subject = `The manifest ${file} names the script ${script.path}, which is`;
    if (found === undefined) throw missing(script.path, `${subject} missing`);
    if (!found.isFile()) throw new CallerError('INVALID_SCRIPT', `${subject} no file`, { file: script.path });
    return { file, script, tools: tools.filter(({ run }) => run.script === script.path) };
  });
}

function isCurrent({ path, sha256, files }: ManifestScript): boolean {
  return [{ path, sha256 }, ...files].every((file) => hasHash(file.path, file.sha256));
}

function withEdits(tool: ManifestTool, written: readonly ManifestTool[]): ManifestTool {
  const earlier = written.find((one) => identityOf(one) === identityOf(tool));
  if (earlier === undefined) return tool;
  const { name, enabled } = earlier;
  const why =
    enabled === tool.enabled
      ? tool.why
      : `The manifest says that it is ${enabled ? 'enabled' : 'not enabled'}. Discovery says: ${tool.why}`;
  return { ...tool, name, enabled, why };
}

/** What stays the same when a tool is renamed or described anew. */
function identityOf({ run }: ManifestTool): string {
  return JSON.stringify(run.kind === 'function' ? ['function', run.function] : ['command', ...run.command.words]);
}
