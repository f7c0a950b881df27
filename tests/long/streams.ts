import { onTestFinished } from 'vitest';
import { settingsSchema } from '../../src/config.js';
import { createGateway, type GatewayOptions } from '../../src/gateway/gateway.js';
import { createLog } from '../../src/log.js';
import { createOpener } from '../../src/services/open.js';
import type { HeardEvent } from '../gateway/stream/listener.js';
import { linesIn } from '../gateway/stream/streaming.js';
import { longScript } from './scale.js';

/** A gateway that serves a script which counts aloud, as the service demo, until the test ends. */
export async function startCounting(
  options: Pick<GatewayOptions, 'settings' | 'keys'>,
): Promise<{ readonly url: string }> {
  const log = createLog({ level: 'silent' });
  const opener = createOpener({ settings: settingsSchema.parse({}), log });
  const source = { kind: 'script', targets: [longScript('counts_aloud.py')] } as const;
  const gateway = await createGateway({
    ...options,
    settings: { port: 0, ...options.settings },
    services: [{ id: 'demo', source }],
    open: opener.open,
    log,
  });
  onTestFinished(async () => {
    await gateway.close();
    await opener.close();
  });
  return { url: gateway.url };
}

/** What `count` says, whole and in order. */
export function counted(to: number): string[] {
  return Array.from({ length: to }, (_, index) => String(index + 1));
}

/** What several connections heard one after the other. */
export function heardBy(connections: readonly { readonly events: readonly HeardEvent[] }[]): unknown[] {
  return connections.flatMap(({ events }) => linesIn(events));
}
