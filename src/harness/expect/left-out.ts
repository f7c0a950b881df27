import type { Exchange, TimedEvent } from '../../testedserver.js';
import type { Finding } from '../report.js';
import type { Expect } from '../suite/schema-expect.js';

type EventType = TimedEvent['type'];

const words: Readonly<Record<EventType, string>> = {
  progress: 'progress notifications',
  log: 'log messages',
  ask: 'questions',
  notification: 'notifications',
};

/** Where more came than is kept, nobody can say that there was nothing else. */
export function checkLeftOut(expect: Expect, { leftOut = [] }: Pick<Exchange, 'leftOut'>): readonly Finding[] {
  return leftOut
    .filter((type) => hasMost(expect, type))
    .map((type) => {
      const message = `The server sent more ${words[type]} than are kept of one request; whether there were only those that are expected cannot be told.`;
      return { kind: 'events', message };
    });
}

/** Whether it is expected that there are no others. */
function hasMost({ progress, logs, asks, notifications }: Expect, type: EventType): boolean {
  if (type === 'ask') return asks !== undefined;
  if (type === 'progress') return typeof progress === 'object' && progress.max !== undefined;
  if (type === 'log') return typeof logs === 'object' && logs.max !== undefined;
  return (
    notifications === false || (notifications ?? []).some((each) => typeof each === 'object' && each.max !== undefined)
  );
}
