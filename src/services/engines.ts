import { parseSettings, type Settings } from '../config.js';
import type { Engine } from '../engine/work.js';
import type { Log } from '../log.js';

/** Services with the same settings share an engine. */
export interface Engines {
  share(settings: Settings): SharedEngine;
  close(): Promise<void>;
}

/** An engine as one of several services has it. */
export interface SharedEngine {
  /** It is made when the first call needs it. */
  get(): Promise<Engine>;
  /** The last one to give it back closes it. */
  release(): Promise<void>;
}

interface Shared {
  holders: number;
  making?: Promise<Engine>;
}

/** Checks come beside the calls that the settings permit, and must not wait for them. */
const roomForChecks = 2;

export function createEngines(log: Log): Engines {
  const engines = new Map<string, Shared>();
  return {
    share(settings) {
      const key = JSON.stringify(settings);
      const shared = engines.get(key) ?? { holders: 0 };
      engines.set(key, shared);
      shared.holders += 1;
      let isReleased = false;
      return {
        get: () => engineOf(shared, settings),
        async release() {
          if (isReleased) return;
          isReleased = true;
          shared.holders -= 1;
          if (shared.holders > 0) return;
          engines.delete(key);
          await end(shared);
        },
      };
    },
    async close() {
      await Promise.all([...engines.values()].map(end));
    },
  };

  function engineOf(shared: Shared, settings: Settings): Promise<Engine> {
    if (shared.making) return shared.making;
    const making = make(settings);
    shared.making = making;
    making.catch(() => {
      if (shared.making === making) shared.making = undefined;
    });
    return making;
  }

  async function make(settings: Settings): Promise<Engine> {
    const { createEngine } = await import('../engine/engine.js');
    return createEngine({ ...settings, concurrency: settings.concurrency + roomForChecks }, { log });
  }
}

async function end({ making }: Shared): Promise<void> {
  const made = await making?.catch(() => undefined);
  await made?.close();
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
    // Building a package runs its code on this machine, outside of every sandbox.
    installPackages: settings.installPackages === 'builds' ? 'wheels' : settings.installPackages,
    allowNet: false,
    allowRun: false,
    allowAll: false,
    isolation: settings.isolation === 'shared' ? 'call' : settings.isolation,
  };
}
