import type { Path } from '../../configfile/place.js';
import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { kindOf } from './kinds.js';
import type { Mistakes } from './mistakes.js';

const maxDepth = 200;

/** A value of a program as the JSON that it stands for; what has no such form is a mistake. */
export function jsonOf(value: unknown, mistakes: Mistakes): JsonValue {
  return convert(value, []);

  function convert(each: unknown, path: Path): JsonValue {
    if (each === null || typeof each === 'string' || typeof each === 'boolean') return each;
    if (typeof each === 'number' && Number.isFinite(each)) return each;
    if (path.length > maxDepth) return refused(path, 'it is nested too deeply, or holds itself');
    if (Array.isArray(each)) return each.map((item, index) => convert(item, [...path, index]));
    if (!isJsonObject(each) || !isPlain(each)) return refused(path, `${nameOf(each)} has no form in JSON`);
    const entries = Object.entries(each).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([name, item]) => [name, convert(item, [...path, name])]));
  }

  function refused(path: Path, reason: string): null {
    mistakes.add(path, reason);
    return null;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: unknown): string {
  return isJsonObject(value) ? `a ${value.constructor.name}` : kindOf(value);
}
