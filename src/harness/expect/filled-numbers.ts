import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { kindOf } from '../suite/kinds.js';
import { type NumberKind, numberForms } from '../suite/numbers.js';
import type { Expect, WrittenExpect, WrittenFields } from '../suite/schema-expect.js';
import { UnknownValue } from '../suite/values.js';
import { isList } from './json.js';
import { cut } from './shown.js';

type Path = readonly (string | number)[];

/** Where a value of the run stands for a number. */
interface Slot {
  readonly path: Path;
  readonly kind: NumberKind;
  readonly written: string;
}

/** Whether no value of the run stands for a number. */
export function hasNumbersAlone(written: WrittenExpect): written is Expect {
  return slotsIn(written).next().done === true;
}

/** Puts numbers into a copy whose values were filled in. Throws an UnknownValue where one became something else. */
export function settleNumbers(written: WrittenExpect, filled: JsonValue): void {
  for (const { path, kind, written: reference } of slotsIn(written)) {
    const owner = path.slice(0, -1).reduce<JsonValue | undefined>(below, filled);
    const key = path.at(-1) ?? '';
    const value = below(owner, key);
    const { plain, words } = numberForms[kind];
    const parsed = plain.safeParse(value);
    if (!parsed.success || typeof owner !== 'object' || owner === null) {
      const where = cut(['expect', ...path].join('.'));
      throw new UnknownValue(reference, `${where}: ${cut(reference)} is ${kindOf(value)}; ${words}`);
    }
    Reflect.set(owner, key, parsed.data);
  }
}

function below(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (isList(value)) return value[Number(step)];
  return isJsonObject(value) ? value[step] : undefined;
}

function* slotsIn(expect: WrittenExpect): Generator<Slot> {
  const { error, fields, data, progress, logs, asks, notifications, latency, memory } = expect;
  if (typeof error === 'object') yield* slots(['error'], error, { code: 'whole' });
  yield* inFields(['fields'], fields);
  yield* inFields(['data'], data);
  if (typeof progress === 'object')
    yield* slots(['progress'], progress, { min: 'count', max: 'count', total: 'number' });
  if (typeof logs === 'object') yield* slots(['logs'], logs, { min: 'count', max: 'count' });
  for (const [index, each] of (asks || []).entries()) {
    if (typeof each === 'object') yield* inFields(['asks', index, 'fields'], each.fields);
  }
  for (const [index, each] of (notifications || []).entries()) {
    if (typeof each !== 'object') continue;
    yield* slots(['notifications', index], each, { min: 'count', max: 'count' });
    yield* inFields(['notifications', index, 'fields'], each.fields);
  }
  yield* slots([], { latency, memory }, { latency: 'time', memory: 'memory' });
}

function* inFields(path: Path, fields: WrittenFields | undefined): Generator<Slot> {
  for (const [name, matcher] of Object.entries(fields ?? {})) {
    if (typeof matcher !== 'object' || matcher === null || Array.isArray(matcher)) continue;
    const at = [...path, name];
    yield* slots(at, matcher, { min: 'number', max: 'number', length: 'count' });
    const length = 'length' in matcher ? matcher.length : undefined;
    if (typeof length === 'object') yield* slots([...at, 'length'], length, { min: 'whole', max: 'whole' });
  }
}

function* slots(path: Path, owner: object, kinds: Readonly<Record<string, NumberKind>>): Generator<Slot> {
  for (const [key, kind] of Object.entries(kinds)) {
    const written: unknown = Reflect.get(owner, key);
    if (typeof written === 'string') yield { path: [...path, key], kind, written };
  }
}
