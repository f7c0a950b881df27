import type { Principal } from './principal.js';

/** Whether the principal may know of a service: whoever may not is told that there is none. */
export function maySee(principal: Principal, serviceId: string): boolean {
  return seesAll(principal) || principal.services?.some((pattern) => matches(pattern, serviceId)) === true;
}

export function seesAll({ scopes, services }: Principal): boolean {
  return services === undefined || scopes.has('admin');
}

/** Each part between stars is taken where it first occurs, so that no pattern takes long. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
