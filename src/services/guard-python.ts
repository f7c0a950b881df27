import type { Settings } from '../config.js';
import { findPython } from '../python/interpreter.js';

/** The interpreter of the guard that ends a server's tree. Where there is none, it is ended by its process group alone. */
export async function guardPython(
  { python, cacheDir }: Settings,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  try {
    return (await findPython({ python, cacheDir, environment })).executable;
  } catch (error) {
    if (python !== undefined) throw error;
    return undefined;
  }
}
