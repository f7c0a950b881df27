import { CallerError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { ManifestTool } from './manifest.js';

export interface Selection {
  /** Names of tools or functions, or patterns with * and ?; these and no others, even where they were off. */
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
}

/** The tools with `enabled` as the selection says. `isWhole` is false where a script could not be discovered. */
export function select(
  tools: readonly ManifestTool[],
  { only = [], exclude = [] }: Selection,
  isWhole = true,
): readonly ManifestTool[] {
  if (only.length === 0 && exclude.length === 0) return tools;
  if (isWhole) for (const pattern of [...only, ...exclude]) refuseUnmatched(pattern, tools);
  return tools.map((tool) => {
    if (exclude.some((pattern) => matches(tool, pattern))) return turn(tool, false, 'It is left out by --exclude.');
    if (only.length === 0) return tool;
    if (!only.some((pattern) => matches(tool, pattern))) return turn(tool, false, 'It is left out by --only.');
    return tool.enabled ? tool : turn(tool, true, `It is named by --only. Without that: ${tool.why}`);
  });
}

function turn(tool: ManifestTool, enabled: boolean, why: string): ManifestTool {
  return { ...tool, enabled, why };
}

function matches(tool: ManifestTool, pattern: string): boolean {
  return namesOf(tool).some((name) => name === pattern || expressionOf(pattern)?.test(name) === true);
}

function namesOf({ name, run }: ManifestTool): readonly string[] {
  return run.kind === 'function' ? [name, run.function] : [name];
}

const expressions = new Map<string, RegExp | undefined>();

/** undefined where the pattern is a plain name. */
function expressionOf(pattern: string): RegExp | undefined {
  if (expressions.has(pattern)) return expressions.get(pattern);
  const source = pattern
    .replace(/[\\^$.+()[\]{}|/]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  const expression = /[*?]/.test(pattern) ? new RegExp(`^${source}$`, 's') : undefined;
  expressions.set(pattern, expression);
  return expression;
}

/** A slip in --exclude would show what was to be hidden, so it is refused as one in --only is. */
function refuseUnmatched(pattern: string, tools: readonly ManifestTool[]): void {
  if (tools.some((tool) => matches(tool, pattern))) return;
  const names = [...new Set(tools.flatMap(namesOf))];
  const near = nearest(pattern, names);
  const some = names.slice(0, 20).join(', ');
  const known = names.length === 0 ? 'there are none' : `there are ${some}${names.length > 20 ? ', …' : ''}`;
  const hint = near === undefined ? known : `did you mean ${near}?`;
  throw new CallerError('UNKNOWN_TOOL', `No tool and no function is named ${pattern}; ${hint}`, { argument: pattern });
}
