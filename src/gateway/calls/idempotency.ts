import { CallerError } from '../../errors.js';
import type { ToolResult } from '../../toolbox.js';
import type { GatewaySettings } from '../settings.js';
import { status } from './cache-status.js';
import type { Call, ServiceFacts, Step } from './call.js';
import { digestOf } from './canonical.js';
import { createFlights } from './flights.js';
import { createKeep, sizeOf } from './keep.js';

/** Calls with an Idempotency-Key: the work is done once, and its answer is given again to who repeats the call. */
export interface Idempotency {
  around(service: ServiceFacts, next: Step): Step;
  close(): void;
}

interface Answered {
  readonly args: string;
  readonly result: ToolResult;
}

const maxAnswers = 10_000;
const longestKey = 255;

export function createIdempotency(settings: () => GatewaySettings): Idempotency {
  const flights = createFlights();
  const answers = createKeep<Answered>({
    maxBytes: () => settings().cacheBytes,
    maxCount: maxAnswers,
    ttlMs: () => settings().idempotencyMs,
  });
  return {
    around: (service, next) => async (call) => {
      const { idempotencyKey } = call;
      return idempotencyKey === undefined ? next(call) : answerOnce(service, call, idempotencyKey, next);
    },
    close: () => answers.clear(),
  };

  function answerOnce({ id }: ServiceFacts, call: Call, idempotencyKey: string, next: Step): Promise<ToolResult> {
    checkForm(idempotencyKey);
    const key = digestOf(call.principal.id, id, call.tool, idempotencyKey);
    const args = digestOf(call.args);
    const answered = answers.get(key)?.value;
    const argsBefore = answered?.args ?? flights.noteOf(key);
    if (argsBefore !== undefined && argsBefore !== args) throw usedBefore(idempotencyKey);
    if (answered) {
      call.onCacheStatus?.(status.repeated);
      return Promise.resolve(answered.result);
    }
    const { isJoined, answer } = flights.fly({ key, call, note: args, step: answerAndKeep });
    if (isJoined) call.onCacheStatus?.(status.joinedRepetition);
    return answer;

    async function answerAndKeep(flown: Call): Promise<ToolResult> {
      const result = await next(flown);
      if (result.code !== 'CANCELLED') answers.set(key, { args, result }, sizeOf(result));
      return result;
    }
  }
}

function checkForm(key: string): void {
  if (key.length > 0 && key.length <= longestKey) return;
  throw new CallerError('INVALID_REQUEST', `An Idempotency-Key has 1 to ${longestKey} characters, not ${key.length}`);
}

function usedBefore(key: string): CallerError {
  const message = `Idempotency-Key ${JSON.stringify(key)} was used before with other arguments; a new request needs a key of its own`;
  return new CallerError('CONFLICT', message);
}
