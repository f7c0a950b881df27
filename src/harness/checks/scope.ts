import type { JsonObject, Tool } from '../../toolbox.js';
import type { CheckPart } from './check.js';
import { missingArgument, missingRequired, missingTool, saysDestructive } from './tools.js';

interface NamedCall {
  readonly tool: string;
  readonly argument: string;
  readonly arguments: JsonObject;
}

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

/** Those that a check would be about if they did no harm, and that the suite says nothing of. */
export function leftAsDestructive(
  options: true | Scope,
  tools: readonly Tool[],
  fits: (tool: Tool) => boolean = () => true,
): readonly string[] {
  const { tools: wanted, except = [] } = options === true ? {} : options;
  if (wanted) return [];
  const left = tools.filter((tool) => saysDestructive(tool) && fits(tool) && !except.includes(tool.name));
  return left.map(({ name }) => name);
}

/** What there is to do with the tool that the suite names. */
export function withTool(name: string, tools: readonly Tool[], make: (tool: Tool) => CheckPart): CheckPart {
  const tool = tools.find((each) => each.name === name);
  return tool ? make(tool) : missingPart(name, tools);
}

/** The same, where the suite names an argument for texts, too. */
export function withArgument(
  { tool: name, argument, arguments: others }: NamedCall,
  tools: readonly Tool[],
  make: (tool: Tool) => CheckPart,
): CheckPart {
  return withTool(name, tools, (tool) => {
    const missing = missingArgument(tool, argument) ?? missingRequired(tool, { ...others, [argument]: '' });
    return missing ? { target: name, run: async () => [missing] } : make(tool);
  });
}

export function skippedPart(reason: string): CheckPart {
  return { run: async () => ({ skipped: reason }) };
}

function missingPart(name: string, tools: readonly Tool[]): CheckPart {
  return { target: name, run: async () => [missingTool(name, tools)] };
}
