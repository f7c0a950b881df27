import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, type Tool } from '../../toolbox.js';
import { isList } from './schema.js';

const maxDepthHashed = 200;
const maxDepthKept = 64;
const maxNodesKept = 20_000;
const longestTextKept = 20_000;

/** The same for two definitions of a tool that say the same; the order of keys says nothing. */
export function definitionHash(tool: Tool): string {
  return createHash('sha256')
    .update(canonical(wholeOf(tool), 0), 'utf16le')
    .digest('hex')
    .slice(0, 32);
}

/** As much of a definition as is worth keeping: all of it, unless it is absurd. */
export function boundedDefinition(tool: Tool): Tool {
  let nodes = 0;
  const kept = bounded(wholeOf(tool), 0);
  const whole = isJsonObject(kept) ? kept : {};
  return {
    name: tool.name,
    ...(typeof whole.title === 'string' && { title: whole.title }),
    ...(typeof whole.description === 'string' && { description: whole.description }),
    inputSchema: isJsonObject(whole.inputSchema) ? whole.inputSchema : {},
    ...(isJsonObject(whole.outputSchema) && { outputSchema: whole.outputSchema }),
    ...(isJsonObject(whole.annotations) && { annotations: whole.annotations }),
  };

  function bounded(value: JsonValue, depth: number): JsonValue {
    nodes++;
    if (typeof value === 'string') return value.slice(0, longestTextKept);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepthKept || nodes > maxNodesKept) return isList(value) ? [] : {};
    if (isList(value)) return value.slice(0, maxNodesKept - nodes).map((one) => bounded(one, depth + 1));
    const entries = Object.entries(value).slice(0, maxNodesKept - nodes);
    return Object.fromEntries(entries.map(([key, one]) => [key, bounded(one, depth + 1)]));
  }
}

/** Nothing that a server adds of its own, such as `_meta`, is part of it. */
function wholeOf({ name, title, description, inputSchema, outputSchema, annotations }: Tool): JsonObject {
  const given = { name, title, description, annotations, inputSchema, outputSchema };
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function canonical(value: JsonValue, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > maxDepthHashed) return '…';
  if (isList(value)) return `[${value.map((one) => canonical(one, depth + 1)).join()}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null, depth + 1)}`).join()}}`;
}
