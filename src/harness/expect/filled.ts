import { isJsonObject, type JsonValue } from '../../toolbox.js';
import type { Expect, ExpectedNotification, Fields, WrittenExpect, WrittenFields } from '../suite/schema-expect.js';
import { fillValues, type Values } from '../suite/values.js';
import { checkMethods } from './filled-methods.js';
import { settleNumbers } from './filled-numbers.js';

/** What is expected, with the values of the run in it. Throws an UnknownValue where one is not known. */
export function filledExpect(written: WrittenExpect, values: Values): Expect {
  const copy = fillValues(written as unknown as JsonValue, values);
  settleNumbers(written, copy);
  checkMethods(copy);
  // What is filled in are values within JSON; its form stays.
  const filled = copy as unknown as Expect;
  return {
    ...filled,
    ...(written.fields && filled.fields && { fields: comparing(written.fields, filled.fields) }),
    ...(written.data && filled.data && { data: comparing(written.data, filled.data) }),
    ...(written.asks && filled.asks && { asks: comparingEach(written.asks, filled.asks) }),
    ...(written.notifications &&
      filled.notifications && { notifications: comparingEach(written.notifications, filled.notifications) }),
  };
}

function comparingEach(
  written: NonNullable<Exclude<WrittenExpect['asks'] | WrittenExpect['notifications'], false>>,
  filled: readonly ExpectedNotification[],
): readonly ExpectedNotification[] {
  return filled.map((each, index) => {
    const before = written[index];
    if (typeof each === 'string' || typeof before !== 'object' || !before.fields || !each.fields) return each;
    return { ...each, fields: comparing(before.fields, each.fields) };
  });
}

/** An object that took the place of a text is compared with, whatever keys it has. */
function comparing(written: WrittenFields, filled: Fields): Fields {
  return Object.fromEntries(
    Object.entries(filled).map(([path, expected]) => {
      const tookPlace = typeof written[path] === 'string' && isJsonObject(expected as JsonValue);
      return [path, tookPlace ? { value: expected } : expected];
    }),
  ) as Fields;
}
