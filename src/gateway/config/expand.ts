import type { Path } from './json.js';

/** `$${` is `${` itself. */
const form = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Every text with `${VARIABLE}` and `${VARIABLE:-default}` replaced. One that is not set is told of, with its place. */
export function expandVariables(
  value: unknown,
  environment: NodeJS.ProcessEnv,
  onUnset: (path: Path, variable: string) => never,
): unknown {
  return expand(value, []);

  function expand(each: unknown, path: Path): unknown {
    if (typeof each === 'string') return expandText(each, path);
    if (Array.isArray(each)) return each.map((item, index) => expand(item, [...path, index]));
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, item]) => [name, expand(item, [...path, name])]));
  }

  function expandText(text: string, path: Path): string {
    return text.replace(form, (_found, variable?: string, fallback?: string) => {
      if (variable === undefined) return '${';
      const set = environment[variable];
      if (fallback !== undefined) return set === undefined || set === '' ? fallback : set;
      return set ?? onUnset(path, variable);
    });
  }
}
