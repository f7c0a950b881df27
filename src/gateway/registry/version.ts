import type { ExecutionError } from '../../errors.js';
import type { Pipeline, ServedService } from '../calls/pipeline.js';
import type { OpenedService, ServiceDefinition, ServiceState } from '../service.js';

/** One opened state of a service. A change of the service is another version. */
export interface Version {
  readonly definition: ServiceDefinition;
  readonly opened: OpenedService;
  readonly served: ServedService;
  readonly health: Health;
  /** There is nothing behind it but the reason why. */
  readonly isBroken: boolean;
  stopTelling: () => void;
}

export interface Health {
  state: Exclude<ServiceState, 'draining'>;
  reason?: string;
  probedAt?: number;
  probeMs?: number;
}

export function createVersion(
  definition: ServiceDefinition,
  opened: OpenedService,
  pipeline: Pipeline,
  broken?: ExecutionError,
): Version {
  const served = pipeline.serve(
    {
      id: definition.id,
      version: () => opened.version,
      usesSlots: definition.source.kind === 'script',
      keepsState: opened.keepsState,
      timeoutMs: opened.timeoutMs === undefined ? undefined : () => opened.timeoutMs ?? 0,
    },
    opened.toolbox,
  );
  const health: Health = broken
    ? { state: 'failing', reason: `${broken.code}: ${broken.message}` }
    : { state: 'starting', reason: 'No call has passed through yet' };
  return { definition, opened, served, health, isBroken: broken !== undefined, stopTelling: () => {} };
}

export async function closeVersion(version: Version): Promise<void> {
  version.stopTelling();
  version.served.close();
  await version.opened.toolbox.close();
}

/** In the place of a service that could not be opened: whatever is asked of it, it answers why. */
export function brokenService(error: ExecutionError): OpenedService {
  const refuse = async (): Promise<never> => {
    throw error;
  };
  const done = async (): Promise<void> => {};
  return {
    version: 'broken',
    keepsState: false,
    notes: [],
    toolbox: {
      listTools: refuse,
      call: refuse,
      warm: done,
      probe: refuse,
      restart: done,
      recycle: done,
      endSession: done,
      close: done,
      status: () => ({ idle: 0, busy: 0, starts: 0, crashes: 0 }),
      onToolsChanged: () => () => {},
    },
  };
}
