import type { Path } from '../../configfile/place.js';

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) => (isHolder(at) && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined),
    value,
  );
}

/** A copy with another value at a path. */
export function withValueAt(value: unknown, [step, ...rest]: Path, replacement: unknown): unknown {
  if (step === undefined) return replacement;
  if (!isHolder(value)) return value;
  const inner = withValueAt(Reflect.get(value, step), rest, replacement);
  return Array.isArray(value) ? value.with(Number(step), inner) : { ...value, [step]: inner };
}

/** A path as the file has it: where one may stand for a list, there is no index. */
export function asWritten(path: Path, given: unknown): Path {
  const written: (string | number)[] = [];
  for (const step of path) {
    if (typeof step === 'number' && !Array.isArray(valueAt(given, written))) continue;
    written.push(step);
  }
  return written;
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
