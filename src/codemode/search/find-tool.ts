import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import { cleanLine } from '../wrappers/foreign-text.js';
import type { Catalogue, CataloguedServer, CataloguedTool } from './catalogue.js';
import { rank } from './rank.js';

export interface AskedTool {
  readonly server: string;
  readonly tool?: string;
}

/** The tool that names of MCP or of Python mean. Throws with the nearest names where there is none. */
export async function findTool(
  catalogue: Catalogue,
  servers: readonly string[],
  asked: AskedTool,
  signal?: AbortSignal,
): Promise<CataloguedTool> {
  const readings = asked.tool === undefined ? splitsOf(asked.server) : [{ server: asked.server, tool: asked.tool }];
  let firstMiss: CallerError | undefined;
  for (const { server, tool } of readings) {
    const meant = catalogue.serverNamed(server);
    if (meant === undefined) continue;
    const listed = await catalogue.read(meant, signal);
    const found = toolIn(listed, tool);
    if (found) return found;
    firstMiss ??= unknownTool(listed, tool);
  }
  throw firstMiss ?? unknownServer(catalogue, servers, asked);
}

function toolIn({ tools }: CataloguedServer, name: string): CataloguedTool | undefined {
  return (
    tools.find(({ tool }) => tool.name === name) ??
    tools.find(({ names }) => names.function === name || names.asyncFunction === name)
  );
}

/** Names may have the separators in them: the longest server that there is was meant. */
function splitsOf(whole: string): readonly Required<AskedTool>[] {
  const text = whole.slice(0, longestName).replace(/^servers\./, '');
  const splits = [...text.matchAll(/(?=(__|[./]))/g)].map(({ index, 1: separator = '' }) => ({
    server: text.slice(0, index),
    tool: text.slice(index + separator.length),
  }));
  return splits.filter(({ server, tool }) => server !== '' && tool !== '').reverse();
}

const longestName = 1000;

function unknownTool(listed: CataloguedServer, name: string): CallerError {
  const names = listed.tools.map(({ tool }) => tool.name);
  const close = nearest(name.slice(0, 200), names.slice(0, 2000));
  const alike = rank(name, listed.tools).slice(0, 3);
  const near = [...new Set([...(close === undefined ? [] : [close]), ...alike.map(({ tool }) => tool.name)])].slice(
    0,
    3,
  );
  const advice =
    near.length > 0
      ? `The nearest: ${near.map((one) => cleanLine(one, 80)).join(', ')}.`
      : `It has ${names.length} others.`;
  const message = `The server ${cleanLine(listed.server, 80)} has no tool ${quoted(name)}. ${advice}`;
  return new CallerError('UNKNOWN_TOOL', message);
}

function unknownServer(catalogue: Catalogue, servers: readonly string[], { server, tool }: AskedTool): CallerError {
  if (tool === undefined && catalogue.serverNamed(server) !== undefined) {
    const message = `${quoted(server)} is a server, and its tool is not said: describe_tool("server", "tool").`;
    return new CallerError('INVALID_ARGUMENTS', message, { argument: 'tool' });
  }
  const close = nearest(server.slice(0, 200), servers);
  const few = servers.slice(0, 20).map((name) => cleanLine(name, 60));
  const advice =
    close === undefined ? `The servers are ${few.join(', ') || 'none'}.` : `Did you mean ${cleanLine(close, 80)}?`;
  return new CallerError('UNKNOWN_SERVER', `There is no MCP server for ${quoted(server)}. ${advice}`);
}

function quoted(name: string): string {
  return JSON.stringify(cleanLine(name, 80));
}
