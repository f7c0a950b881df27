import { type Context, createContext, Script } from 'node:vm';

let prepared: { readonly box: Context; readonly script: Script } | undefined;

/**
 * Runs work that a pattern, a path or a schema of somebody else may make endless. Such work can be ended only from
 * outside of it, and node:vm is the way to do that without another process. Whether it came to its end.
 */
export function endedWithin(limitMs: number, work: () => void): boolean {
  prepared ??= { box: createContext({}), script: new Script('work()') };
  prepared.box.work = work;
  try {
    prepared.script.runInContext(prepared.box, { timeout: limitMs });
    return true;
  } catch (error) {
    if (isTimeout(error)) return false;
    throw error;
  } finally {
    prepared.box.work = undefined;
  }
}

/** Of another realm, so it is no Error of this one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
