import type { Tool } from '../../toolbox.js';
import type { CheckPart } from './check.js';
import { missingTool } from './tools.js';

interface Scope {
  readonly tools?: readonly string[];
  readonly except?: readonly string[];
}

/** The tools that a check is about: those that are named, else those that it fits. A name that no tool has is told. */
export function chooseTools(
  options: true | Scope,
  tools: readonly Tool[],
  fits: (tool: Tool) => boolean,
): { readonly chosen: readonly Tool[]; readonly missing: readonly CheckPart[] } {
  const { tools: wanted, except = [] } = options === true ? {} : options;
  const chosen = tools.filter(
    (tool) => !except.includes(tool.name) && (wanted ? wanted.includes(tool.name) : fits(tool)),
  );
  const unknown = [...(wanted ?? []), ...except].filter((name) => !tools.some((tool) => tool.name === name));
  return { chosen, missing: unknown.map((name) => missingPart(name, tools)) };
}

/** What there is to do with the tool that the suite names. */
export function withTool(name: string, tools: readonly Tool[], make: (tool: Tool) => CheckPart): CheckPart {
  const tool = tools.find((each) => each.name === name);
  return tool ? make(tool) : missingPart(name, tools);
}

export function skippedPart(reason: string): CheckPart {
  return { run: async () => ({ skipped: reason }) };
}

function missingPart(name: string, tools: readonly Tool[]): CheckPart {
  return { target: name, run: async () => [missingTool(name, tools)] };
}
