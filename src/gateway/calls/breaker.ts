import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen, type IBackoff } from 'cockatiel';
import { HostError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { BreakerState } from '../service.js';
import type { GatewaySettings } from '../settings.js';
import type { Call, ServiceFacts, Step } from './call.js';
import { type Ending, endOf, outcomeOf, type Verdict, verdictOf } from './verdict.js';

export interface BreakerOptions {
  readonly service: ServiceFacts;
  readonly settings: () => GatewaySettings;
  readonly timeoutMs: () => number;
  readonly log: Log;
}

export interface Breaker {
  readonly state: BreakerState;
  /** Refuses at once while the service is not to be called. */
  around(next: Step): Step;
  /** The same ahead of a wait, for whoever would be refused after it. */
  ahead(next: Step): Step;
  /** What a check of the service has found: one that passed lets a call through to see, without waiting any longer. */
  tellProbe(works: boolean): void;
}

const retryWhileTestedMs = 1000;

/** A service that failed several times in a row is not called for a while; then one call is let through to see. */
export function createBreaker({ service, settings, timeoutMs, log }: BreakerOptions): Breaker {
  const failures = settings().breakerFailures;
  const failed = new Error('The service failed');
  const saysNothing = new Error('The call says nothing of the service');
  let openedAt = 0;
  let resetMs = 0;
  let lastFailure = '';
  let counted = 0;

  const untilReset: IBackoff<unknown> = {
    get duration() {
      return resetMs;
    },
    next: () => untilReset,
  };
  const policy = circuitBreaker(
    handleWhen((error) => error === failed),
    { halfOpenAfter: untilReset, breaker: new ConsecutiveBreaker(failures) },
  );
  policy.onBreak(() => {
    openedAt = Date.now();
    resetMs = settings().breakerResetMs;
    log.warn('the breaker has opened', { service: service.id, failures, lastFailure, resetMs });
  });
  policy.onHalfOpen(() => log.info('the breaker lets a call through', { service: service.id }));
  policy.onReset(() => log.info('the breaker has closed', { service: service.id }));

  return {
    get state() {
      if (policy.state === CircuitState.Closed) return 'closed';
      return policy.state === CircuitState.HalfOpen || leftMs() === 0 ? 'half-open' : 'open';
    },
    around: (next) => async (call) => {
      refuseWhileOpen();
      const ending = await judged(() => endOf(next(call)), call);
      if (ending.kind === 'error') throw ending.error;
      return ending.result;
    },
    ahead: (next) => async (call) => {
      refuseWhileOpen();
      return next(call);
    },
    tellProbe(works) {
      if (works && policy.state === CircuitState.Open) resetMs = 0;
      if (!works && policy.state === CircuitState.Closed) {
        lastFailure = 'a check of it failed';
        policy.execute(() => Promise.reject(failed)).catch(() => {});
      }
    },
  };

  async function judged(run: () => Promise<Ending>, call: Call): Promise<Ending> {
    const told: { ending?: Ending } = {};
    const judge = async () => {
      const before = counted;
      const ending = await run();
      told.ending = ending;
      const verdict = verdictFor(ending, call);
      if (verdict === 'works') return;
      if (verdict === 'nothing' || isToldAlready(ending, before)) throw saysNothing;
      lastFailure = outcomeOf(ending);
      counted += 1;
      throw failed;
    };
    await policy.execute(judge).catch(() => {});
    return told.ending ?? { kind: 'error', error: openError() };
  }

  /** Whoever cancels, or gives a call less time than the service would, says nothing of the service by that. */
  function verdictFor(ending: Ending, call: Call): Verdict {
    if (call.signal.aborted) return 'nothing';
    const isHurried = call.timeoutMs !== undefined && call.timeoutMs < timeoutMs();
    return isHurried && outcomeOf(ending) === 'TIMEOUT' ? 'nothing' : verdictOf(ending);
  }

  /** One crash ends all calls that were on the process, and is one failure. Whoever waited in vain did so for itself. */
  function isToldAlready(ending: Ending, before: number): boolean {
    return counted > before && outcomeOf(ending) !== 'TIMEOUT';
  }

  function refuseWhileOpen(): void {
    if (policy.state === CircuitState.HalfOpen || (policy.state === CircuitState.Open && leftMs() > 0)) {
      throw openError();
    }
  }

  function leftMs(): number {
    return Math.max(openedAt + resetMs - Date.now(), 0);
  }

  function openError(): HostError {
    const message = `Service ${service.id} failed ${failures} times in a row (the last time: ${lastFailure}) and is not called for a while`;
    return new HostError('CIRCUIT_OPEN', message, { retryAfterMs: leftMs() || retryWhileTestedMs });
  }
}
