import type { JsonObject, Tool } from '../../toolbox.js';
import type { DiscoverSchemasOptions } from '../code-execution.js';
import { cleanLine } from '../wrappers/foreign-text.js';

/** Whether a tool is called to see what it answers, and with which arguments; or why it is not. */
export type Plan =
  | { readonly kind: 'declared' }
  | { readonly kind: 'call'; readonly arguments: readonly JsonObject[] }
  | { readonly kind: 'leave'; readonly reason: string };

type Permission = Pick<DiscoverSchemasOptions, 'safeTools' | 'acceptReadOnly'>;

/** Of a safe tool: all tools of the server, but for those that declare to be destructive. */
export const everyTool = '*';

const maxSamples = 20;

/** `pinned` is the tool as it was when a person last accepted it: what it says of itself since then permits nothing. */
export function planFor(server: string, tool: Tool, permission: Permission, pinned: Tool = tool): Plan {
  if (tool.outputSchema !== undefined) return { kind: 'declared' };
  const byPerson = argumentsFor(server, tool.name, permission, false);
  if (byPerson !== undefined) return withRequired(tool, byPerson);
  const given = argumentsFor(server, tool.name, permission, true) ?? [{}];
  if (isDestructive(tool) || isDestructive(pinned))
    return leave(
      'It declares that it may destroy or overwrite something.',
      'If calling it is safe, mark it as safe by its own name.',
    );
  if (argumentsFor(server, everyTool, permission, false)) return withRequired(tool, given);
  const isReadOnly = declares(tool, 'readOnlyHint') && declares(pinned, 'readOnlyHint');
  if (!isReadOnly)
    return leave('It does not declare that it changes nothing.', 'If calling it is safe, mark it as safe.');
  if (permission.acceptReadOnly !== true)
    return leave(
      'It declares that it changes nothing, which was not accepted as enough.',
      'Accept tools that declare it, or mark this one as safe.',
    );
  return withRequired(tool, given);
}

function argumentsFor(
  server: string,
  tool: string,
  { safeTools = [] }: Permission,
  byAgent: boolean,
): readonly JsonObject[] | undefined {
  const named = safeTools.filter(
    (safe) => safe.server === server && safe.tool === tool && (safe.onlyIfReadOnly ?? false) === byAgent,
  );
  if (named.length === 0) return undefined;
  return named.flatMap((safe) => (safe.arguments && safe.arguments.length > 0 ? safe.arguments : [{}]));
}

/** A call that lacks an argument would show only how the tool fails. */
function withRequired(tool: Tool, given: readonly JsonObject[]): Plan {
  const required = requiredOf(tool);
  const complete = given.filter((args) => required.every((key) => Object.hasOwn(args, key)));
  if (complete.length > 0) return { kind: 'call', arguments: complete.slice(0, maxSamples) };
  const [closest = {}] = given;
  const missing = required.filter((key) => !Object.hasOwn(closest, key)).map((key) => cleanLine(key, 40));
  const shown = missing.length > 8 ? [...missing.slice(0, 8), `${missing.length - 8} more`] : missing;
  return leave(
    `It needs the arguments ${shown.join(', ')}.`,
    'Mark it as safe together with arguments to call it with.',
  );
}

function requiredOf({ inputSchema: { required } }: Tool): readonly string[] {
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}

function isDestructive(tool: Tool): boolean {
  return declares(tool, 'destructiveHint');
}

function declares({ annotations }: Tool, hint: string): boolean {
  return annotations?.[hint] === true;
}

function leave(what: string, advice: string): Plan {
  return { kind: 'leave', reason: `${what} ${advice}` };
}
