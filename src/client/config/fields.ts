import { expandReferences, type References } from '../../configfile/expand.js';
import type { Path } from '../../configfile/place.js';
import type { CallerError } from '../../errors.js';

/** The fields of an entry, each read as what it has to be, with its references replaced. `null` counts as not given. */
export interface Fields {
  readonly names: readonly string[];
  raw(name: string): unknown;
  text(name: string): string | undefined;
  texts(name: string): readonly string[] | undefined;
  /** Names with a text each; numbers and booleans become text, `null` leaves the name out. */
  record(name: string): Readonly<Record<string, string>> | undefined;
  flag(name: string): boolean | undefined;
  count(name: string): number | undefined;
  object(name: string): Fields | undefined;
  /** Replaces the references of a text that stands in a field. */
  expand(text: string, ...path: Path): string;
  wrong(path: Path, reason: string): CallerError;
}

const longestText = 65_536;

export function createFields(
  value: object,
  references: References,
  wrong: (path: Path, reason: string) => CallerError,
): Fields {
  const fields: Fields = {
    names: Object.keys(value),
    raw,
    text(name) {
      const given = raw(name);
      return given === undefined ? undefined : textOf(given, [name]);
    },
    texts(name) {
      const given = raw(name);
      if (given === undefined) return undefined;
      if (!Array.isArray(given)) throw wrong([name], 'expected a list of texts: [ … ]');
      return given.map((item: unknown, index) => scalarOf(item, [name, index]));
    },
    record(name) {
      const given = raw(name);
      if (given === undefined) return undefined;
      if (!isObject(given)) throw wrong([name], 'expected an object: { … }');
      const pairs = Object.entries(given).filter(([, item]) => item !== null && item !== undefined);
      return Object.fromEntries(pairs.map(([key, item]) => [key, scalarOf(item, [name, key])]));
    },
    flag(name) {
      const given = raw(name);
      if (given === undefined || typeof given === 'boolean') return given;
      throw wrong([name], 'expected true or false');
    },
    count(name) {
      const given = raw(name);
      if (given === undefined) return undefined;
      if (typeof given === 'number' && Number.isFinite(given) && given > 0) return given;
      throw wrong([name], 'expected a number above 0');
    },
    object(name) {
      const given = raw(name);
      if (given === undefined) return undefined;
      if (!isObject(given)) throw wrong([name], 'expected an object: { … }');
      return createFields(given, atField(references, [name]), (path, reason) => wrong([name, ...path], reason));
    },
    expand: (text, ...path) => textOf(text, path),
    wrong,
  };
  return fields;

  function raw(name: string): unknown {
    const given: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    return given === null ? undefined : given;
  }

  function textOf(given: unknown, path: Path): string {
    if (typeof given !== 'string') throw wrong(path, 'expected a text: "…"');
    if (given.length > longestText) throw wrong(path, `it is longer than ${longestText} characters`);
    const expanded = expandReferences(given, atField(references, path));
    if (typeof expanded !== 'string' || expanded.includes('\0')) throw wrong(path, 'a text holds no zero character');
    return expanded;
  }

  function scalarOf(given: unknown, path: Path): string {
    if (typeof given === 'boolean') return String(given);
    if (typeof given !== 'number') return textOf(given, path);
    if (Number.isInteger(given) && !Number.isSafeInteger(given)) throw wrong(path, 'a number this large needs quotes');
    return String(given);
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function atField(references: References, field: Path): References {
  return { ...references, onUnset: (path, reference) => references.onUnset([...field, ...path], reference) };
}
