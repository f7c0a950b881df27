import type { Tool } from '../../toolbox.js';
import { needsTask } from '../checks/tools.js';
import { isObject } from '../expect/json.js';

/** Why a tool is not called without being asked to, by what it says of itself; nothing of one that may be. */
export function reasonNotToCall(tool: Tool): string | undefined {
  if (needsTask(tool)) return 'it runs only as a task';
  const { readOnlyHint, destructiveHint, openWorldHint } = isObject(tool.annotations) ? tool.annotations : {};
  if (readOnlyHint === true) {
    return destructiveHint === true ? 'it says that it only reads, and that it is destructive' : undefined;
  }
  if (destructiveHint === true) return 'it says that it may destroy something (destructiveHint)';
  if (destructiveHint !== false) return 'it does not say that it only reads (readOnlyHint)';
  return openWorldHint === true ? 'it changes things beyond the server (openWorldHint)' : undefined;
}
