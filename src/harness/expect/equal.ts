import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { isList } from './json.js';
import type { Step } from './path-text.js';

/** Equal as JSON is: whatever the order of keys, and NaN to itself. */
export function isEqual(one: JsonValue, other: JsonValue): boolean {
  return differenceOf(one, other) === undefined;
}

/** Where two values differ first; nothing where they are equal. */
export function differenceOf(one: JsonValue, other: JsonValue): readonly Step[] | undefined {
  if (one === other || Object.is(one, other)) return undefined;
  if (isList(one) && isList(other)) return differenceOfLists(one, other);
  if (isJsonObject(one) && isJsonObject(other)) return differenceOfObjects(one, other);
  return [];
}

function differenceOfLists(one: readonly JsonValue[], other: readonly JsonValue[]): readonly Step[] | undefined {
  for (const [index, value] of one.entries()) {
    const counterpart = other[index];
    if (counterpart === undefined) return [index];
    const inside = differenceOf(value, counterpart);
    if (inside) return [index, ...inside];
  }
  return one.length < other.length ? [one.length] : undefined;
}

type Keyed = Readonly<Record<string, JsonValue>>;

function differenceOfObjects(one: Keyed, other: Keyed): readonly Step[] | undefined {
  for (const [key, value] of Object.entries(one)) {
    const counterpart = Object.hasOwn(other, key) ? other[key] : undefined;
    if (counterpart === undefined) return [key];
    const inside = differenceOf(value, counterpart);
    if (inside) return [key, ...inside];
  }
  const added = Object.keys(other).find((key) => !Object.hasOwn(one, key));
  return added === undefined ? undefined : [added];
}
