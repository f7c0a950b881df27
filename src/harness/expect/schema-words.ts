import { isJsonObject, type JsonSchema, type JsonValue } from '../../toolbox.js';
import { isList } from './json.js';

/** Words that the library obeys and JSON Schema does not have: a schema with $async would even pass everything. */
const foreign: ReadonlySet<string> = new Set(['$async', 'nullable', 'id']);
const holdingSchemasByName: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const holdingValues: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

/** The schema as JSON Schema reads it: without words that are not its own. */
export function withoutForeignWords(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word]) => !foreign.has(word))
      .map(([word, value]) => [word, held(word, value)]),
  );
}

function held(word: string, value: JsonValue): JsonValue {
  if (holdingValues.has(word)) return value;
  if (!holdingSchemasByName.has(word) || !isJsonObject(value)) return within(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, within(each)]));
}

function within(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(within);
  return isJsonObject(value) ? withoutForeignWords(value) : value;
}
