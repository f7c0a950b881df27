import { ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { ManifestScript } from '../../manifest/manifest.js';
import type { ChosenPython } from '../../python/environment-of-script.js';
import type { Engine, WarmOptions } from '../work.js';
import type { Contents } from './contents.js';

export interface Surroundings {
  engine(): Promise<Engine>;
  pythonOf(script: ManifestScript): Promise<ChosenPython | undefined>;
  contentOf(script: ManifestScript): string | undefined;
  readonly whose: Pick<WarmOptions, 'tenant' | 'group' | 'profile'>;
  readonly log: Log;
}

const importsAtOnce = 4;
/** More scripts than an engine keeps warm would push each other out. */
const maxWarmed = 64;

/** Imports the scripts that may be imported ahead, and readies processes for the others. */
export async function warmAll(contents: Contents, surroundings: Surroundings): Promise<void> {
  const waiting = ahead(contents).slice(0, maxWarmed);
  const blanks = new Set<ChosenPython | undefined>();
  const next = async (): Promise<void> => {
    for (let need = waiting.shift(); need; need = waiting.shift()) {
      await warmOne(need, surroundings, blanks).catch(note(need.script, surroundings.log));
    }
  };
  await Promise.all(Array.from({ length: importsAtOnce }, next));
}

/** Proves that a call passes through a process of each script that is imported ahead, or through one for whole scripts. */
export async function probeAll(
  contents: Contents,
  { engine, pythonOf, contentOf, whose }: Surroundings,
): Promise<void> {
  const made = await engine();
  const imported = ahead(contents).filter(({ isImported }) => isImported);
  if (imported.length === 0) return made.probe(undefined, whose);
  for (const { script } of imported.slice(0, maxWarmed)) {
    await made.probe(script.path, { ...whose, python: await pythonOf(script), content: contentOf(script) });
  }
}

interface Need {
  readonly script: ManifestScript;
  readonly isImported: boolean;
}

async function warmOne(
  { script, isImported }: Need,
  { engine, pythonOf, contentOf, whose }: Surroundings,
  blanks: Set<ChosenPython | undefined>,
): Promise<void> {
  const python = await pythonOf(script);
  const made = await engine();
  if (isImported) return made.warm(script.path, { ...whose, python, content: contentOf(script) });
  if (blanks.has(python)) return;
  blanks.add(python);
  await made.warm(undefined, { ...whose, python });
}

/** A script with functions is imported, unless that has effects; whole scripts are run by processes that imported nothing. */
function ahead({ enabled, scriptOf }: Contents): Need[] {
  const needs = new Map<string, Need>();
  for (const tool of enabled) {
    const script = scriptOf(tool);
    const isImported = tool.run.kind === 'function' && script.importEffects.length === 0;
    needs.set(`${isImported} ${script.path}`, { script, isImported });
  }
  return [...needs.values()];
}

function note(script: ManifestScript, log: Log): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ExecutionError)) throw error;
    const { code, message, details, fault } = error;
    if (code === 'CLOSED') return;
    const layer = fault === 'script' ? log.script : log;
    layer.warn('not made ready ahead', { script: script.path, code, message, traceback: details.traceback });
  };
}
