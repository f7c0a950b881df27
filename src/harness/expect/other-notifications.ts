import type { NotificationEvent, TimedEvent } from '../../testedserver.js';
import { isJsonObject } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { Expect, ExpectedNotification } from '../suite/schema-expect.js';
import { checkFields } from './fields.js';
import { patternOf } from './patterns.js';
import { bounded, cut, shown } from './shown.js';
import { endedWithin } from './within-time.js';

type Expected = NonNullable<Expect['notifications']>;

const toldAtMost = 20;
const lookMs = 200;

/** Of each expected kind of notification there were as many as expected; none at all where that was expected. */
export function checkNotifications(expected: Expected, events: readonly TimedEvent[]): readonly Finding[] {
  const heard = events.filter((event) => event.type === 'notification');
  if (expected === false) return heard.length === 0 ? [] : [surplus(heard)];
  return expected.flatMap((each): readonly Finding[] => {
    const wanted = wantedOf(each);
    const problem = problemOf(wanted);
    if (problem !== undefined) return [{ kind: 'notifications', message: problem }];
    const { min, max = Number.POSITIVE_INFINITY } = wanted;
    const found = heard.filter((event) => fits(wanted, event)).length;
    return found < min || found > max ? [wrongCount(wanted, found, heard)] : [];
  });
}

/** Tells of notifications as they come whether all that were expected are there. */
export function createPatience(expected: Expect['notifications']): {
  readonly isOver: boolean;
  hear(event: NotificationEvent): void;
} {
  const missing = (expected || []).map(wantedOf).map((wanted) => ({ wanted, left: wanted.min }));
  return {
    get isOver() {
      return missing.every(({ left }) => left <= 0);
    },
    hear(event) {
      for (const each of missing) if (each.left > 0 && fitsInTime(each.wanted, event)) each.left -= 1;
    },
  };
}

interface Wanted extends Exclude<ExpectedNotification, string> {
  readonly min: number;
}

function wantedOf(expected: ExpectedNotification): Wanted {
  const given = typeof expected === 'string' ? { method: expected } : expected;
  return { ...given, min: given.min ?? (given.max === undefined ? 1 : 0) };
}

/** A pattern that a value became and that is none fits nothing, which is no reason to say that there was nothing. */
function problemOf({ fields = {} }: Wanted): string | undefined {
  for (const matcher of Object.values(fields)) {
    const pattern = isJsonObject(matcher) ? matcher.pattern : undefined;
    const read = typeof pattern === 'string' ? patternOf(pattern) : undefined;
    if (read && 'problem' in read) return read.problem;
  }
  return undefined;
}

function fits({ method, fields }: Wanted, event: NotificationEvent): boolean {
  if (event.method !== method && event.method !== `notifications/${method}`) return false;
  return fields === undefined || checkFields(fields, event.params).length === 0;
}

/** What takes too long is not waited for; it shows when the expectation is checked. */
function fitsInTime(wanted: Wanted, event: NotificationEvent): boolean {
  if (wanted.fields === undefined) return fits(wanted, event);
  let isFit = true;
  endedWithin(lookMs, () => {
    isFit = fits(wanted, event);
  });
  return isFit;
}

function wrongCount(wanted: Wanted, found: number, heard: readonly NotificationEvent[]): Finding {
  const { method, fields, min, max } = wanted;
  const what = `notifications ${cut(method, 100)}${fields === undefined ? '' : ` with ${shown(fields)}`}`;
  const bound = found < min ? `at least ${min}` : `at most ${max}`;
  const there = heard.length === 0 ? 'There were none at all.' : `There were ${shown(shownOf(heard))}.`;
  return {
    kind: 'notifications',
    message: `There were ${found} ${what}; expected ${bound}. ${there}`,
    expected: { method, ...(fields && { fields }), [found < min ? 'min' : 'max']: found < min ? min : (max ?? 0) },
    actual: bounded(shownOf(heard)),
  };
}

function surplus(heard: readonly NotificationEvent[]): Finding {
  const actual = shownOf(heard);
  return {
    kind: 'notifications',
    message: `There were notifications, ${shown(actual)}; expected none.`,
    expected: [],
    actual: bounded(actual),
  };
}

function shownOf(heard: readonly NotificationEvent[]) {
  return heard.slice(0, toldAtMost).map(({ method, params }) => {
    return Object.keys(params).length === 0 ? method : { method, params };
  });
}
