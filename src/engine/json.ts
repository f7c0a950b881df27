const deepest = 500;

/** Why a value cannot be said in JSON without loss, with the place in it; undefined when it can. */
export function jsonProblem(value: unknown, path = '$'): string | undefined {
  try {
    return problemIn(value, path, []);
  } catch (error) {
    return `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function problemIn(value: unknown, path: string, ancestors: readonly object[]): string | undefined {
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
  if (ancestors.includes(value)) return `${path} contains itself`;
  if (ancestors.length >= deepest) return `${path} is nested more than ${deepest} levels deep`;
  const within = [...ancestors, value];
  const said: unknown = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON('') : value;
  if (said !== value) return problemIn(said, path, within);
  if (Array.isArray(value)) return arrayProblem(value, path, within);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return `${path} is a ${kindOf(value)}`;
  return firstProblem(Object.entries(value), (key) => `${path}${stepTo(key)}`, within);
}

function arrayProblem(items: readonly unknown[], path: string, ancestors: readonly object[]): string | undefined {
  const missing = items.findIndex((item) => typeof item === 'undefined');
  if (missing >= 0) return `${path}[${missing}] is undefined`;
  return firstProblem(items.entries(), (index) => `${path}[${index}]`, ancestors);
}

function stepTo(key: string): string {
  return /^[\w$]{1,60}$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 60))}]`;
}

function kindOf(value: object): string {
  return typeof value.constructor === 'function' ? value.constructor.name : 'value with a prototype of its own';
}

function firstProblem<K>(
  entries: Iterable<readonly [K, unknown]>,
  place: (key: K) => string,
  ancestors: readonly object[],
): string | undefined {
  for (const [key, item] of entries) {
    if (typeof item === 'string' || typeof item === 'boolean' || item === null || Number.isFinite(item)) continue;
    const problem = problemIn(item, place(key), ancestors);
    if (problem) return problem;
  }
  return undefined;
}
