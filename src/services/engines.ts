import { parseSettings, type Settings } from '../config.js';
import type { Engine } from '../engine/work.js';
import type { Log } from '../log.js';

/** Services with the same settings share an engine, which is made when the first call needs it. */
export interface Engines {
  for(settings: Settings): Promise<Engine>;
  close(): Promise<void>;
}

/** Checks come beside the calls that the settings permit, and must not wait for them. */
const roomForChecks = 2;

export function createEngines(log: Log): Engines {
  const engines = new Map<string, Promise<Engine>>();
  return {
    for(settings) {
      const key = JSON.stringify(settings);
      const found = engines.get(key);
      if (found) return found;
      const making = make(settings);
      engines.set(key, making);
      making.catch(() => engines.delete(key));
      return making;
    },
    async close() {
      const made = await Promise.allSettled(engines.values());
      await Promise.all(made.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.close() : undefined)));
    },
  };

  async function make(settings: Settings): Promise<Engine> {
    const { createEngine } = await import('../engine/engine.js');
    return createEngine({ ...settings, concurrency: settings.concurrency + roomForChecks }, { log });
  }
}

/** What the settings of a service are: those of the gateway with its own. Whoever uploads a script chooses none. */
export function settingsOfService(
  general: Settings,
  own: Readonly<Record<string, unknown>> | undefined,
  isUploaded: boolean,
): Settings {
  const settings = parseSettings({ ...general, ...own });
  if (!isUploaded) return settings;
  const { allowRead: _read, allowWrite: _write, allowEnv: _env, ...kept } = settings;
  return {
    ...kept,
    profile: 'strict',
    allowNet: false,
    allowRun: false,
    allowAll: false,
    isolation: settings.isolation === 'shared' ? 'call' : settings.isolation,
  };
}
