import type { Settings } from '../config.js';
import { CallerError } from '../errors.js';
import { waitForStart } from '../gateway/config/changes.js';
import type { Gateway } from '../gateway/gateway.js';
import type { ServiceDefinition } from '../gateway/service.js';
import type { AdjustableLog } from '../log.js';
import { asOptions, hasAuth, type Plan } from './gateway-plan.js';

export interface Reloading {
  /** What holds now. */
  readonly plan: Plan;
  /** The services that the command line named, which no file changes. */
  readonly given: readonly ServiceDefinition[];
  readonly gateway: Pick<Gateway, 'apply'>;
  readonly makePlan: () => Promise<Plan>;
  readonly log: AdjustableLog;
}

/** Reads the files again and applies them, one time after the other. What cannot be used leaves everything as it was. */
export function createReload({ plan: first, given, gateway, makePlan, log }: Reloading): () => Promise<void> {
  let plan = first;
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(reload);
    return last;
  };

  async function reload(): Promise<void> {
    try {
      const next = await makePlan();
      refuseOpening(plan, next);
      await gateway.apply(asOptions(next, given));
      tellWhatWaits(plan, next);
      if (next.engine.logLevel !== plan.engine.logLevel) log.setLevel(next.engine.logLevel);
      plan = next;
      log.info('the configuration was read again', { services: next.config.services.length + given.length });
    } catch (error) {
      log.error('the configuration cannot be used: everything stays as it was', { error });
    }
  }

  function tellWhatWaits(before: Plan, after: Plan): void {
    const ofEngine = changedIn(before.engine, after.engine).map((name) => `settings.${name}`);
    const waiting = [...waitForStart(before.settings, after.settings), ...ofEngine];
    if (waiting.length > 0) log.warn('some changes wait until the gateway is started again', { settings: waiting });
  }
}

/** A file that is gone for a moment must not let everybody in. */
function refuseOpening(before: Plan, after: Plan): void {
  if (!hasAuth(before) || hasAuth(after)) return;
  const message = 'No key and no OAuth is left, which would let everybody in; start the gateway again if that is meant';
  throw new CallerError('INVALID_CONFIG', message);
}

/** The level of the log is the one setting of the engine that changes at once. */
function changedIn(before: Settings, after: Settings): readonly string[] {
  const next: Readonly<Record<string, unknown>> = after;
  return Object.entries(before)
    .filter(([name, value]) => name !== 'logLevel' && JSON.stringify(value) !== JSON.stringify(next[name]))
    .map(([name]) => name);
}
