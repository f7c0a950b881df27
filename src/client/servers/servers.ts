import { basename } from 'node:path';
import { CallerError, HostError } from '../../errors.js';
import type { Log } from '../../log.js';
import { nearest } from '../../nearest.js';
import type { ToolSource } from '../../toolsource.js';
import type { ServerEntry } from '../config/config.js';
import { fillOptions, type ServerToolboxOptions } from '../target.js';
import type { ServerToolbox } from '../toolbox.js';
import { createListMemory } from './list-memory.js';
import { createServer, type Server } from './server.js';
import { toolboxOf } from './server-view.js';

export interface ServersOptions extends Pick<ServerToolboxOptions, 'identity' | 'logins'> {
  readonly log?: Log;
  /** Lists of tools are remembered for later runs in its folder `tool-lists`. Not given: nowhere. */
  readonly cacheDir?: string;
  /** An interpreter (3.10 or newer) for the guard that ends a server's whole tree, whatever happens to this process. */
  readonly python?: string;
  /** Of one call, beside the start of the server where it needs one; an entry may say otherwise. */
  readonly callTimeoutMs: number;
  readonly startTimeoutMs: number;
  /** Of one message of a server: 64 MiB unless said. */
  readonly maxMessageBytes?: number;
  /** Told when a server is about to be started, or connected to; again where it had to be replaced. */
  readonly onStart?: (server: string) => void;
  /** Told when it has introduced itself. */
  readonly onStarted?: (server: string) => void;
}

/** The MCP servers of a config: each is started at its first use and kept until all are closed. */
export interface Servers extends ToolSource {
  /** All calls to a server go over one connection: what one script made there, the next one finds. */
  call: ToolSource['call'];
  /** One server by itself. Its errors name it; closing it closes nothing else. */
  toolbox(server: string): ServerToolbox;
}

export function createServers(entries: readonly ServerEntry[], options: ServersOptions): Servers {
  const { log } = fillOptions({ log: options.log });
  const memory = createListMemory(options.cacheDir, log);
  const listeners = new Set<(server: string) => void>();
  const servers = new Map<string, Server>();
  const byName = new Map<string, ServerEntry>();
  let isClosed = false;
  for (const entry of entries) if (!byName.has(entry.name)) byName.set(entry.name, entry);
  const names = [...byName.values()].filter(({ disabled }) => !disabled).map(({ name }) => name);

  return {
    names,
    async list(server, listOptions) {
      return find(server).list(listOptions);
    },
    async call(server, tool, args, callOptions) {
      return find(server).call(tool, args, callOptions);
    },
    toolbox: (server) => toolboxOf(find(server)),
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    async close() {
      isClosed = true;
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };

  function find(name: string): Server {
    if (isClosed) throw new HostError('CLOSED', 'The connections to the MCP servers are closed');
    const known = servers.get(name);
    if (known) return known;
    const entry = byName.get(name);
    if (!entry) throw unknownServer(name, names);
    const server = open(entry);
    servers.set(name, server);
    return server;
  }

  function open(entry: ServerEntry): Server {
    if (entry.disabled) throw disabledServer(entry);
    if (entry.problem) throw entry.problem;
    if (!entry.target)
      throw new CallerError('INVALID_CONFIG', `MCP server ${entry.name}: nothing says how to reach it`);
    return createServer(entry, entry.target, { ...options, log, memory, onToolsChanged: () => tell(entry.name) });
  }

  function tell(server: string): void {
    for (const listener of [...listeners]) {
      try {
        listener(server);
      } catch (error) {
        log.error('a listener to changes of tools threw', { server, error });
      }
    }
  }
}

const namesShown = 50;
const longestName = 200;

function unknownServer(name: string, names: readonly string[]): CallerError {
  const close = nearest(name.slice(0, longestName), names);
  const meant = close === undefined ? '' : ` Did you mean ${close}?`;
  const more = names.length > namesShown ? `, and ${names.length - namesShown} more` : '';
  const known = names.length === 0 ? 'It names none.' : `There are: ${names.slice(0, namesShown).join(', ')}${more}.`;
  return new CallerError(
    'UNKNOWN_SERVER',
    `The config names no MCP server ${JSON.stringify(name.slice(0, longestName))}.${meant} ${known}`,
  );
}

function disabledServer({ name, origin }: ServerEntry): CallerError {
  const message = `MCP server ${name}: it is disabled in ${basename(origin)}. Enable it there to use it`;
  return new CallerError('UNKNOWN_SERVER', message);
}
