import type { ExecutionError } from '../errors.js';
import type { ManifestScript, ManifestTool } from './manifest.js';

/** What discovery says of one script; every path in it is absolute. */
export interface FoundScript {
  readonly script: ManifestScript;
  readonly tools: readonly ManifestTool[];
  readonly leftOut: readonly LeftOut[];
}

/** A name of a script that is no tool at all. */
export interface LeftOut {
  readonly script: string;
  readonly name: string;
  readonly line?: number;
  readonly why: string;
  /** What to write so that it becomes one. */
  readonly change?: string;
}

/** A script of which nothing can be said. */
export interface ScriptProblem {
  readonly path: string;
  readonly error: ExecutionError;
}

export type Discovered = FoundScript | ScriptProblem;

export function isProblem(discovered: Discovered): discovered is ScriptProblem {
  return 'error' in discovered;
}
