import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The own property; what the prototype of every object has is none of the answer's. */
export function ownValue(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The same value with every text in it changed, names of keys too. */
export function withTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (isList(value)) return value.map((each) => withTexts(each, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), withTexts(each, change)]));
}
