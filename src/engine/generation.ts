import type { Settings } from '../config.js';
import type { Enforced } from '../toolbox.js';
import type { Launcher } from './launch/launcher.js';
import type { Worker } from './launch/worker.js';
import { enforcedForTrusted } from './sandbox.js';
import { type FileStamp, haveChanged } from './stamps.js';

/** One import of a script and the workers that came from it. */
export interface Generation {
  readonly launcher: Launcher;
  readonly reason: string | undefined;
  readonly born: number;
  readonly idle: Worker[];
  files: readonly FileStamp[];
  imported: boolean;
  enforced: Enforced;
  starting: number;
  busy: number;
  calls: number;
  retired: boolean;
  /** Workers that died unused since the last one that was handed out. */
  failures: number;
  /** The machine has not given as many workers as were asked for: one is asked for at a time. */
  isShort: boolean;
  ending: Promise<void> | undefined;
}

/** Asked where a file has changed: whether it is to be imported again. */
export type Renewal = () => boolean;

export function createGeneration(
  launcher: Launcher,
  reason: string | undefined,
  files: readonly FileStamp[],
): Generation {
  return {
    launcher,
    reason,
    files,
    born: Date.now(),
    idle: [],
    imported: false,
    enforced: enforcedForTrusted,
    starting: 0,
    busy: 0,
    calls: 0,
    retired: false,
    failures: 0,
    isShort: false,
    ending: undefined,
  };
}

export function isWornOut(generation: Generation, settings: Settings, mayRenew: Renewal = () => true): boolean {
  return (
    generation.calls >= settings.recycleAfterCalls ||
    Date.now() - generation.born > settings.recycleAfterMs ||
    generation.launcher.growthBytes > settings.recycleGrowthBytes ||
    (haveChanged(generation.files) && mayRenew())
  );
}

/** Whether a worker can be had in no time. A warm interpreter imports the script itself, which may take long. */
export function forksAtOnce({ launcher, imported }: Generation): boolean {
  return imported && launcher.kind === 'fork';
}
