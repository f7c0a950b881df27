import type { TimedEvent } from '../../testedserver.js';
import { logLevels } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { Expect, TextMatch } from '../suite/schema-expect.js';
import { shown } from './shown.js';
import { checkText } from './text.js';

type Progress = Extract<TimedEvent, { readonly type: 'progress' }>;
type Log = Extract<TimedEvent, { readonly type: 'log' }>;

/** MCP wants every progress to be more than the one before. */
export function checkProgressIncreases(events: readonly TimedEvent[]): readonly Finding[] {
  return roundsOf(events).flatMap(checkIncreases);
}

/** A request that is sent again with answers begins anew. */
function roundsOf(events: readonly TimedEvent[]): readonly (readonly Progress[])[] {
  const rounds: Progress[][] = [[]];
  let round: number | undefined;
  for (const event of events) {
    const isProgress = event.type === 'progress';
    if (isProgress ? event.round !== round : event.type === 'ask' && event.by === 'result') rounds.push([]);
    if (!isProgress) continue;
    round = event.round;
    rounds.at(-1)?.push(event);
  }
  return rounds;
}

function checkIncreases(all: readonly Progress[]): readonly Finding[] {
  const back = all.findIndex(({ done }, index) => done <= (all[index - 1]?.done ?? Number.NEGATIVE_INFINITY));
  const beyond = all.find(({ done, total }) => total !== undefined && done > total);
  return [
    ...(back < 0
      ? []
      : [
          {
            kind: 'progress',
            message: `Progress went from ${all[back - 1]?.done} to ${all[back]?.done}; it has to increase with every notification.`,
            actual: all.slice(0, 1000).map(({ done }) => done),
          },
        ]),
    ...(beyond === undefined
      ? []
      : [
          {
            kind: 'progress',
            message: `Progress went to ${beyond.done}, which is beyond its total of ${beyond.total}.`,
          },
        ]),
  ];
}

export function checkProgress(
  expected: NonNullable<Expect['progress']>,
  events: readonly TimedEvent[],
): readonly Finding[] {
  const all = progressOf(events);
  const { min, max, message, total } = expected === true ? {} : expected;
  const wantsAny = [min, max, message, total].every((each) => each === undefined);
  const told = all.at(-1)?.total;
  return [
    ...checkCount('progress', 'progress notifications', all.length, wantsAny ? 1 : min, max),
    ...(message === undefined ? [] : checkOne('progress', 'progress notification', message, all.map(messageOf))),
    ...(total === undefined || total === told
      ? []
      : [
          {
            kind: 'progress',
            message: `The last progress tells ${told === undefined ? 'no total' : `the total ${told}`}; expected ${total}.`,
            expected: total,
            actual: told ?? null,
          },
        ]),
  ];
}

export function checkLogs(expected: NonNullable<Expect['logs']>, events: readonly TimedEvent[]): readonly Finding[] {
  const { min, max, level, message } = expected === true ? { min: 1 } : expected;
  const least = level === undefined ? 0 : logLevels.indexOf(level);
  const counting = events
    .filter((event) => event.type === 'log')
    .filter(({ level: said }) => logLevels.indexOf(said) >= least);
  const what = level === undefined ? 'log messages' : `log messages of level ${level} or above`;
  const wantsAny = min === undefined && max === undefined && message === undefined;
  return [
    ...checkCount('logs', what, counting.length, wantsAny ? 1 : min, max),
    ...(message === undefined ? [] : checkOne('logs', 'log message', message, counting.map(messageOf))),
  ];
}

function progressOf(events: readonly TimedEvent[]): readonly Progress[] {
  return events.filter((event) => event.type === 'progress');
}

function messageOf(event: Progress | Log): string {
  return event.message ?? '';
}

function checkCount(
  kind: string,
  what: string,
  found: number,
  min: number | undefined,
  max: number | undefined,
): readonly Finding[] {
  const finding = (words: string, expected: number): Finding => {
    return { kind, message: `There were ${found} ${what}; expected ${words} ${expected}.`, expected, actual: found };
  };
  if (min !== undefined && found < min) return [finding('at least', min)];
  return max !== undefined && found > max ? [finding('at most', max)] : [];
}

function checkOne(kind: string, what: string, match: TextMatch, messages: readonly string[]): readonly Finding[] {
  if (messages.some((message) => checkText(match, message).length === 0)) return [];
  const actual = messages.slice(0, 100).map((message) => message.slice(0, 1000));
  const came = messages.length === 0 ? 'there was none' : `there were ${shown(actual)}`;
  return [{ kind, message: `No ${what} is ${wanted(match)}; ${came}.`, expected: match, actual }];
}

function wanted(match: TextMatch): string {
  return typeof match === 'string' ? shown(match) : `one with ${shown(match)}`;
}
