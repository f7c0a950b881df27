import { isJsonObject, type Tool } from '../../toolbox.js';
import { needsTask } from '../checks/tools.js';

/**
 * Why a tool is not called, by what it says of itself; nothing of one that may be. A person who names it vouches for
 * what it does not say, and not against what it does say.
 */
export function reasonNotToCall(tool: Tool, isNamed = false): string | undefined {
  if (needsTask(tool)) return 'it runs only as a task';
  const { readOnlyHint, destructiveHint, openWorldHint } = isJsonObject(tool.annotations) ? tool.annotations : {};
  if (readOnlyHint === true) {
    return destructiveHint === true ? 'it says that it only reads, and that it is destructive' : undefined;
  }
  if (destructiveHint === true) return 'it says that it may destroy something (destructiveHint)';
  if (isNamed) return undefined;
  if (destructiveHint !== false) return 'it does not say that it only reads (readOnlyHint)';
  return openWorldHint === true ? 'it changes things beyond the server (openWorldHint)' : undefined;
}
