import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { CallerError } from '../../errors.js';
import type { SafeTool } from '../code-execution.js';
import type { ArgumentsOf } from './arguments.js';
import { listed, shownJson } from './foreign-text.js';

/** An agent names a config that the server works with already, or none: it could have written any other. */
export function checkConfig(given: string | undefined, configs: readonly string[], folders: readonly string[]): void {
  if (given === undefined || configs.includes(given)) return;
  const known = new Set(configs.flatMap((config) => [resolve(config), realPathOr(resolve(config))]));
  if (folders.some((folder) => known.has(resolve(folder, given)))) return;
  const message = `config ${shownJson(given)} is none that this server was started with. Leave it out: the servers of its own configs are meant.`;
  throw new CallerError('NOT_ALLOWED', message, { argument: 'config' });
}

/** What is known of tools that the user has not marked one by one. */
export interface ReadOnlyTools {
  readonly servers: readonly string[];
  /** Whether the tool declares that it changes nothing, and the user takes that for enough. */
  isAccepted(server: string, tool: string): Promise<boolean>;
}

/** The tools to call: those that an agent names, as far as the user permits it; all that are marked where it names none. */
export async function safeToolsFor(
  { safe_tools: asked, servers }: ArgumentsOf<'discover_schemas'>,
  marked: readonly SafeTool[],
  readOnly: ReadOnlyTools,
): Promise<readonly SafeTool[]> {
  if (asked === undefined) return marked.filter(({ server }) => servers?.includes(server) ?? true);
  const samples = Array.isArray(asked) ? asked.map((name) => [name, []] as const) : Object.entries(asked);
  const found: SafeTool[] = [];
  for (const [name, given] of samples) {
    const tool = marked.find((one) => nameOf(one) === name) ?? (await acceptedTool(name, readOnly));
    if (tool === undefined) throw notMarked(name, marked);
    found.push(given.length === 0 ? tool : { ...tool, arguments: given });
  }
  return found;
}

/** Both names may hold slashes: the longest server that fits is meant. */
async function acceptedTool(name: string, { servers, isAccepted }: ReadOnlyTools): Promise<SafeTool | undefined> {
  const fitting = servers.filter((server) => name.startsWith(`${server}/`) && name.length > server.length + 1);
  const server = fitting.reduce((best, one) => (one.length > best.length ? one : best), '');
  if (server === '') return undefined;
  const tool = name.slice(server.length + 1);
  return (await isAccepted(server, tool)) ? { server, tool, onlyIfReadOnly: true } : undefined;
}

function nameOf({ server, tool }: SafeTool): string {
  return `${server}/${tool}`;
}

function notMarked(name: string, marked: readonly SafeTool[]): CallerError {
  const known = marked.length === 0 ? 'none is' : `marked are ${listed(marked.map(nameOf))}`;
  const message = `The user has not marked ${shownJson(name)} as safe to call; ${known}. Ask the user to start mcp-execution-server with --safe server/tool.`;
  return new CallerError('NOT_ALLOWED', message, { argument: 'safe_tools' });
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
