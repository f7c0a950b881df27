const deepest = 500;

/** Why a value cannot be said in JSON without loss, with the place in it; undefined when it can. */
export function jsonProblem(value: unknown, path = '$', ancestors: readonly object[] = []): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `${path} is ${value}`;
    case 'object':
      return value === null ? undefined : objectProblem(value, path, ancestors);
    default:
      return `${path} is a ${typeof value}`;
  }
}

function objectProblem(value: object, path: string, ancestors: readonly object[]): string | undefined {
  if ('toJSON' in value && typeof value.toJSON === 'function') return undefined;
  if (ancestors.includes(value)) return `${path} contains itself`;
  if (ancestors.length >= deepest) return `${path} is nested more than ${deepest} levels deep`;
  const within = [...ancestors, value];
  if (Array.isArray(value)) return firstProblem(value.entries(), (index) => `${path}[${index}]`, within);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return `${path} is a ${value.constructor.name}`;
  return firstProblem(Object.entries(value), (key) => `${path}.${key}`, within);
}

function firstProblem<K>(
  entries: Iterable<readonly [K, unknown]>,
  place: (key: K) => string,
  ancestors: readonly object[],
): string | undefined {
  for (const [key, item] of entries) {
    if (typeof item === 'string' || typeof item === 'boolean') continue;
    const problem = jsonProblem(item, place(key), ancestors);
    if (problem) return problem;
  }
  return undefined;
}
