import type { JsonObject, Tool } from '../../toolbox.js';
import type { ServiceFacts } from './call.js';

/** What the results of a tool may be kept for: `named` by whoever runs the gateway, `said` by the tool itself. */
export type Cacheable = 'named' | 'said' | undefined;

export function cacheableAs(service: ServiceFacts, tool: Tool, named: readonly string[]): Cacheable {
  if (named.some((pattern) => matches(pattern, `${service.id}/${tool.name}`))) return 'named';
  return !service.keepsState && saysSo(tool.annotations) ? 'said' : undefined;
}

/** A tool that does not say that it only reads may change what others answer. */
export function mayChange(tool: Tool | undefined): boolean {
  return tool?.annotations?.readOnlyHint !== true;
}

function saysSo(annotations: JsonObject | undefined): boolean {
  return annotations?.readOnlyHint === true && annotations.idempotentHint === true;
}

/** By comparing the pieces between the stars, which takes no more than one pass over the text. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
