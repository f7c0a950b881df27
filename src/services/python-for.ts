import type { Settings } from '../config.js';
import type { ManifestScript } from '../manifest/manifest.js';
import type { ChosenPython } from '../python/environment-of-script.js';

export interface Installing {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Takes each line of what an installer says. */
  readonly onProgress: (line: string) => void;
}

/** The Python that a script asks for, with its packages installed; nothing where it asks for none. */
export async function pythonFor(
  script: ManifestScript,
  settings: Settings,
  { environment, signal, onProgress }: Installing,
): Promise<ChosenPython | undefined> {
  if (!script.dependencies && !script.requiresPython) return undefined;
  const { environmentFor } = await import('../python/environment-of-script.js');
  const { profileOf } = await import('../engine/sandbox.js');
  const strict = profileOf(settings) === 'strict';
  return environmentFor(script, { ...settings, strict }, onProgress, signal, environment);
}
