import { onTestFinished } from 'vitest';
import type { KeyEntry } from '../../src/gateway/access/keys.js';
import { createGateway, type Gateway } from '../../src/gateway/gateway.js';
import type { OpenedService } from '../../src/gateway/service.js';
import type { GatewaySettingsInput } from '../../src/gateway/settings.js';
import { createLog } from '../../src/log.js';
import type { FakeToolbox } from '../server/fake-toolbox.js';

export interface ComposedOptions {
  readonly settings?: GatewaySettingsInput;
  readonly keys?: readonly KeyEntry[];
}

/** The whole gateway with one service, demo, which is a toolbox in memory. */
export async function startComposed(toolbox: FakeToolbox, options: ComposedOptions = {}): Promise<Gateway> {
  const gateway = await createGateway({
    settings: { port: 0, ...options.settings },
    services: [{ id: 'demo', source: { kind: 'script', targets: ['/demo.py'] } }],
    ...(options.keys && { keys: options.keys }),
    open: async () => opened(toolbox),
    log: createLog({ level: 'silent' }),
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

function opened(tools: FakeToolbox): OpenedService {
  const toolbox = Object.assign(tools, {
    warm: async () => {},
    probe: async () => {},
    restart: async () => {},
    recycle: async () => {},
    endSession: async () => {},
    status: () => ({ idle: 1, busy: 0, starts: 1, crashes: 0 }),
    onToolsChanged: () => () => {},
  });
  return { toolbox, version: '1', keepsState: false, notes: [] };
}
