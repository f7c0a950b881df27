import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { editsOf } from './edits.js';
import { sortedJson } from './jsontext.js';

/** Something at a path that is not as expected; not there at all where there is no value. */
export interface Change {
  readonly path: string;
  readonly expected?: JsonValue;
  readonly actual?: JsonValue;
}

const maxDepth = 60;

/** Where two values differ, as deep as can be said. Elements of lists that moved are found where they are. */
export function changesOf(expected: JsonValue, actual: JsonValue, path = '$', depth = 0): readonly Change[] {
  if (expected === actual) return [];
  if (depth < maxDepth && isList(expected) && isList(actual)) return listChanges(expected, actual, path, depth);
  if (depth < maxDepth && isJsonObject(expected) && isJsonObject(actual))
    return objectChanges(expected, actual, path, depth);
  return sortedJson(expected) === sortedJson(actual) ? [] : [{ path, expected, actual }];
}

function objectChanges(expected: JsonObject, actual: JsonObject, path: string, depth: number): readonly Change[] {
  const keys = [...Object.keys(expected), ...Object.keys(actual).filter((key) => !Object.hasOwn(expected, key))];
  return keys.flatMap((key) => {
    const place = `${path}${segmentOf(key)}`;
    const [before, after] = [ownValue(expected, key), ownValue(actual, key)];
    if (before === undefined) return [{ path: place, actual: after }];
    if (after === undefined) return [{ path: place, expected: before }];
    return changesOf(before, after, place, depth + 1);
  });
}

function listChanges(
  expected: readonly JsonValue[],
  actual: readonly JsonValue[],
  path: string,
  depth: number,
): readonly Change[] {
  const edits = editsOf(expected.map(sortedJson), actual.map(sortedJson));
  const changes: Change[] = [];
  let outs: number[] = [];
  let ins: number[] = [];
  for (const edit of [...edits, undefined]) {
    if (edit?.kind === 'out') outs.push(edit.before);
    else if (edit?.kind === 'in') ins.push(edit.after);
    else {
      changes.push(...exchanged(outs, ins));
      [outs, ins] = [[], []];
    }
  }
  return changes;

  /** What went and what came at the same place are taken for the same element, changed. */
  function exchanged(gone: readonly number[], come: readonly number[]): readonly Change[] {
    return Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => {
      const [before, after] = [gone[index], come[index]];
      const place = `${path}[${after ?? before}]`;
      if (before === undefined) return [{ path: place, actual: actual[after ?? 0] }];
      if (after === undefined) return [{ path: place, expected: expected[before] }];
      return changesOf(expected[before] ?? null, actual[after] ?? null, place, depth + 1);
    }).flat();
  }
}

function segmentOf(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
