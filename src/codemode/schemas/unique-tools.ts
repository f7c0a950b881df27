import type { Tool } from '../../toolbox.js';

/** Of tools with the same name only the first, as a call would not know the others. */
export function uniqueTools(tools: readonly Tool[]): readonly Tool[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => !seen.has(name) && seen.add(name));
}
