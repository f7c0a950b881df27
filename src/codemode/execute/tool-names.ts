import { CallerError } from '../../errors.js';
import { plainText } from './plain-text.js';

export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/** `server__tool` where no tool is given: names of servers may have `__` in them, and the longest that fits is meant. */
export function resolveTool(server: string, tool: string | undefined, servers: readonly string[]): NamedTool {
  if (tool !== undefined) return { server, tool };
  const [meant] = servers
    .filter((name) => server.startsWith(`${name}__`) && server.length > name.length + 2)
    .sort((one, other) => other.length - one.length);
  if (meant !== undefined) return { server: meant, tool: server.slice(meant.length + 2) };
  throw unresolved(server, servers);
}

function unresolved(given: string, servers: readonly string[]): CallerError {
  const shown = JSON.stringify(plainText(given));
  if (servers.includes(given)) {
    return new CallerError(
      'INVALID_ARGUMENTS',
      `${shown} is a server, and its tool is not said: call_tool("server", "tool", {...})`,
      { argument: 'tool' },
    );
  }
  const known = servers.slice(0, 20).map((name) => plainText(name, 60));
  return new CallerError(
    'UNKNOWN_SERVER',
    `${shown} names no tool of a server: say call_tool("server", "tool", {...}) or call_tool("server__tool", {...}). The servers are ${known.join(', ') || 'none'}.`,
  );
}
