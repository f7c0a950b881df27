import { isJsonObject, type JsonSchema, type JsonValue } from '../../toolbox.js';

/** Keywords whose members are names chosen by a script, each with a schema. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
/** Keywords with values, in which a member called format means nothing. */
const plainValues = new Set(['default', 'const', 'enum', 'examples']);

/**
 * The schema of a result without what clients throw over: formats, because Python writes a datetime without a zone and
 * a negative duration, and patterns in a syntax that is Python's alone.
 */
export function schemaForClients(schema: JsonSchema): JsonSchema {
  const kept: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value === 'string' && (keyword === 'format' || (keyword === 'pattern' && !isUsable(value)))) continue;
    kept[keyword] = plainValues.has(keyword) ? value : namedSchemas.has(keyword) ? eachOf(value) : within(value);
  }
  return kept;
}

function isUsable(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function eachOf(schemas: JsonValue): JsonValue {
  if (!isJsonObject(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, within(schema)]));
}

function within(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(within);
  return isJsonObject(value) ? schemaForClients(value) : value;
}
