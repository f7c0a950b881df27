import { ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { GatewaySettings } from '../settings.js';
import type { Version } from './version.js';

export interface Checks {
  /** Makes a version ready, and checks it when it is. */
  begin(version: Version): void;
  now(version: Version): Promise<void>;
  close(): void;
}

export interface ChecksOptions {
  readonly settings: () => GatewaySettings;
  readonly log: Log;
  readonly services: () => readonly Version[];
}

const longestProbeMs = 10_000;
/** How often it is looked whose check is due. */
const looksPerProbe = 4;
/** A check that takes longer goes on by itself: services whose imports never end must not keep others unchecked. */
const patienceMs = 250;

/** Health that is proven: every service is called for real now and then, and says so. */
export function createChecks({ settings, log, services }: ChecksOptions): Checks {
  const running = new Map<Version, Promise<void>>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  scheduleLook();

  return {
    begin(version) {
      if (version.isBroken) return;
      version.opened.toolbox
        .warm()
        .catch((error: unknown) => log.debug('the warm-up ended early', { service: version.definition.id, error }))
        .then(() => check(version));
    },
    now: check,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };

  function scheduleLook(): void {
    timer = setTimeout(look, settings().probeMs / looksPerProbe);
    timer.unref();
  }

  /** One after the other, so that checks never are the load. */
  async function look(): Promise<void> {
    const dueBefore = Date.now() - settings().probeMs;
    for (const version of services()) {
      if (isClosed) return;
      const isDue = (version.health.probedAt ?? 0) <= dueBefore && !running.has(version);
      if (isDue) await within(patienceMs, check(version));
    }
    if (!isClosed) scheduleLook();
  }

  function check(version: Version): Promise<void> {
    const already = running.get(version);
    if (already) return already;
    const checking = probe(version).finally(() => running.delete(version));
    running.set(version, checking);
    return checking;
  }

  async function probe(version: Version): Promise<void> {
    if (!isServed(version)) return;
    const { definition, opened, served, health } = version;
    const before = health.state;
    const startedAt = performance.now();
    const outcome = await within(longestProbeMs, opened.toolbox.probe());
    // A service at work that has no process to spare is not broken.
    if (!isServed(version) || (outcome === 'late' && served.running() > 0)) return;
    health.probedAt = Date.now();
    if (outcome === undefined) {
      health.state = 'ready';
      health.reason = undefined;
      health.probeMs = Math.round(performance.now() - startedAt);
      served.tellProbe(true);
    } else {
      health.state = 'failing';
      health.reason = outcome === 'late' ? `No call passed within ${longestProbeMs} ms` : reasonOf(outcome.error);
      served.tellProbe(false);
    }
    if (before !== health.state) {
      const told = { service: definition.id, reason: health.reason };
      if (health.state === 'ready') log.info('the service is ready', told);
      else log.error('the service fails its check', told);
    }
  }

  /** A version that was replaced meanwhile fails because it was closed, which says nothing. */
  function isServed(version: Version): boolean {
    return !isClosed && services().includes(version);
  }
}

type Outcome = undefined | 'late' | { readonly error: unknown };

async function within(ms: number, probe: Promise<void>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  const told = probe.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  try {
    return await Promise.race([told, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The sentence of an error that is made to be read; of others only that they happened. */
function reasonOf(error: unknown): string {
  return error instanceof ExecutionError ? `${error.code}: ${error.message}` : 'The check failed unexpectedly';
}
