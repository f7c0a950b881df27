import { createHash } from 'node:crypto';
import { createServerToolbox } from '../client/client.js';
import { createLogins } from '../client/oauth/logins.js';
import type { Settings } from '../config.js';
import type { OpenedService, ServiceDefinition, ServiceSource } from '../gateway/service.js';
import { guardPython } from './guard-python.js';
import type { Surroundings } from './script-service.js';

type ServerSource = Exclude<ServiceSource, { kind: 'script' }>;

/** An MCP server as a service: one that is started here, or one at an address. */
export async function openServer(
  definition: ServiceDefinition,
  source: ServerSource,
  settings: Settings,
  { log, environment }: Surroundings,
): Promise<OpenedService> {
  const { timeoutMs, importTimeoutMs, recycleAfterCalls, memoryBytes, maxProcesses, queueLength } = settings;
  const toolbox = createServerToolbox(withSpare(source, settings), {
    log: log.child({ service: definition.id }),
    timeoutMs,
    startTimeoutMs: importTimeoutMs,
    recycleAfterCalls,
    memoryBytes,
    maxProcessesInTree: maxProcesses,
    queueLength,
    idleMs: settings.idleMs,
    sessionIdleMs: settings.sessionIdleMs,
    serverName: definition.id,
    // Whoever runs the gateway has logged in to it, for all of its clients, as with headers of the config.
    logins: createLogins({ environment, note: (line) => log.warn(line) }),
    python: source.kind === 'command' ? await guardPython(settings, environment) : undefined,
  });
  return {
    toolbox,
    version: createHash('sha256').update(JSON.stringify(source)).digest('hex').slice(0, 16),
    keepsState: source.kind === 'url' || source.stateless !== true,
    timeoutMs,
    notes: [],
  };
}

/** Like scripts, servers have a process ready however quiet it is, so that neither calls nor checks start one each time. */
function withSpare(source: ServerSource, { minIdleChildren }: Settings): ServerSource {
  return source.kind === 'command' ? { ...source, minProcesses: source.minProcesses ?? minIdleChildren } : source;
}
