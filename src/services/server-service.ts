import { createHash } from 'node:crypto';
import { createServerToolbox } from '../client/client.js';
import type { Settings } from '../config.js';
import type { OpenedService, ServiceDefinition, ServiceSource } from '../gateway/service.js';
import { findPython } from '../python/interpreter.js';
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

/** Where there is no Python, a server is ended by its process group alone. */
async function guardPython(
  { python, cacheDir }: Settings,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  try {
    return (await findPython({ python, cacheDir, environment })).executable;
  } catch (error) {
    if (python !== undefined) throw error;
    return undefined;
  }
}
