import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import type { Tool } from '../../toolbox.js';
import type { ListedTools, ToolSource } from '../../toolsource.js';
import { within } from './deadline.js';
import { plainText } from './plain-text.js';
import type { NamedTool } from './tool-names.js';

/** The tools that servers list, for the calls of one run. */
export interface Definitions {
  /** Rejects with UNKNOWN_SERVER or UNKNOWN_TOOL, and the nearest name. */
  find(named: NamedTool, signal: AbortSignal): Promise<Tool>;
}

const byName = new WeakMap<ListedTools['tools'], ReadonlyMap<string, Tool>>();

/**
 * Only what is listed is called: a name that the rules do not know for what it is might mean a tool to the server all the same.
 * A list may be older than the tool, so that the server itself is asked, once in a run.
 */
export function createDefinitions(source: ToolSource): Definitions {
  const asked = new Map<string, Promise<ListedTools>>();
  return {
    async find({ server, tool }, signal) {
      const found = toolsByName(await source.list(server, { signal })).get(tool);
      if (found) return found;
      const listed = toolsByName(await within({ signal }, () => ask(server)));
      const late = listed.get(tool);
      if (late) return late;
      throw unknownTool({ server, tool }, [...listed.keys()]);
    },
  };

  /** For all calls of the run, so that none of them may give it up. */
  function ask(server: string): Promise<ListedTools> {
    const known = asked.get(server);
    if (known) return known;
    const listing = source.list(server, { fresh: true });
    asked.set(server, listing);
    listing.catch(() => asked.delete(server));
    return listing;
  }
}

function toolsByName({ tools }: ListedTools): ReadonlyMap<string, Tool> {
  const known = byName.get(tools);
  if (known) return known;
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  byName.set(tools, named);
  return named;
}

function unknownTool({ server, tool }: NamedTool, names: readonly string[]): CallerError {
  const close = nearest(tool.slice(0, 200), names.slice(0, 2000));
  const few = names.slice(0, 20).map((name) => plainText(name, 60));
  const has = `It has ${few.join(', ') || 'none'}${names.length > few.length ? ' and more' : ''}.`;
  const advice = close === undefined ? has : `Did you mean ${plainText(close, 100)}?`;
  return new CallerError(
    'UNKNOWN_TOOL',
    `The server ${plainText(server, 100)} has no tool ${JSON.stringify(plainText(tool, 100))}. ${advice}`,
  );
}
