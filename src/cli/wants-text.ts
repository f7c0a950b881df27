import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../toolbox.js';

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';
const maxReferences = 20;

/** Whether a parameter takes text and not the JSON that a word happens to be: `zip=01234`, `version=1.10`, `name=true`. */
export function wantsText(inputSchema: JsonSchema, name: string, read: JsonValue): boolean {
  const { properties, additionalProperties } = inputSchema;
  const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
  const parameter = isJsonObject(own) ? own : undefined;
  if (!parameter) return false;
  const kinds = kindsOf(parameter, inputSchema, maxReferences);
  if (!kinds?.has('string')) return false;
  // As a number it would lose the zeros at its end.
  return !kinds.has(kindOf(read)) || (parameter.format === 'decimal' && typeof read === 'number');
}

/** The kinds of JSON that a schema takes; nothing where it takes all. */
function kindsOf(schema: JsonObject, root: JsonSchema, room: number): ReadonlySet<Kind> | undefined {
  const { type, enum: choices, const: only, anyOf, oneOf, $ref } = schema;
  if (room === 0) return undefined;
  if (typeof $ref === 'string') {
    const target = targetOf($ref, root);
    return target && kindsOf(target, root, room - 1);
  }
  if (type !== undefined) return new Set([type].flat().map(kindOfType));
  if (Array.isArray(choices)) return new Set(choices.map(kindOf));
  if (only !== undefined) return new Set([kindOf(only)]);
  const members = Array.isArray(anyOf) ? anyOf : oneOf;
  if (!Array.isArray(members)) return undefined;
  const kinds = members.map((member) => (isJsonObject(member) ? kindsOf(member, root, room - 1) : undefined));
  return kinds.includes(undefined) ? undefined : new Set(kinds.flatMap((some) => [...(some ?? [])]));
}

function targetOf(reference: string, root: JsonSchema): JsonObject | undefined {
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const { $defs } = root;
  const target =
    name !== undefined && isJsonObject($defs) ? $defs[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return isJsonObject(target) ? target : undefined;
}

function kindOfType(type: JsonValue): Kind {
  return type === 'integer' ? 'number' : (type as Kind);
}

function kindOf(value: JsonValue): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as Kind;
}
