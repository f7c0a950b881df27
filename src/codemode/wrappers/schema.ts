import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';

/** A schema with its `$ref` and `allOf` taken into it. */
export type FlatSchema = ReadonlyMap<string, JsonValue>;

const maxDepth = 32;
const maxParts = 200;
/** Keywords that say nothing of the form of a value. */
const annotations = new Set(['$comment', 'default', 'deprecated', 'description', 'examples', 'readOnly', 'title']);

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Where a schema is nothing but a reference within its document: that reference. */
export function plainReference(schema: JsonObject): string | undefined {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return undefined;
  return Object.keys(schema).every((key) => key === '$ref' || annotations.has(key)) ? $ref : undefined;
}

/** What a reference within the document leads to. Nothing is ever fetched. */
export function resolveReference(root: JsonValue, reference: string): JsonValue | undefined {
  if (reference === '#' || reference === '#/') return root;
  if (!reference.startsWith('#/')) return undefined;
  let place: JsonValue | undefined = root;
  const parts = reference.slice(2).split('/', maxDepth + 1);
  if (parts.length > maxDepth) return undefined;
  for (const part of parts) {
    const key = pointerPart(part);
    if (isList(place)) place = /^\d+$/.test(key) ? place[Number(key)] : undefined;
    else if (isJsonObject(place)) place = Object.hasOwn(place, key) ? place[key] : undefined;
    else return undefined;
  }
  return place;
}

/** One schema that says what the schema, what it refers to, and what its `allOf` say together. */
export function flatten(root: JsonValue, schema: JsonObject): FlatSchema {
  const flat = new Map<string, JsonValue>();
  const seen = new Set<JsonValue>();
  gather(schema, 0);
  return flat;

  function gather(part: JsonValue | undefined, depth: number): void {
    if (!isJsonObject(part) || seen.has(part) || seen.size >= maxParts || depth > maxDepth) return;
    seen.add(part);
    for (const [key, value] of Object.entries(part)) {
      if (key === '$ref' || key === 'allOf') continue;
      const known = flat.get(key);
      flat.set(key, known === undefined ? value : both(key, known, value));
    }
    if (typeof part.$ref === 'string') gather(resolveReference(root, part.$ref), depth + 1);
    if (isList(part.allOf)) for (const member of part.allOf) gather(member, depth + 1);
  }
}

function both(key: string, known: JsonValue, value: JsonValue): JsonValue {
  if (key === 'required' && isList(known) && isList(value)) return [...new Set([...known, ...value])];
  if (key === 'properties' && isJsonObject(known) && isJsonObject(value)) return bothProperties(known, value);
  if (key === 'type' || key === 'enum') return inBoth(known, value);
  if (key === 'additionalProperties' && value === false) return false;
  return known;
}

function bothProperties(known: JsonObject, value: JsonObject): JsonObject {
  const properties = new Map(Object.entries(known));
  for (const [key, schema] of Object.entries(value)) {
    const other = properties.get(key);
    properties.set(key, other === undefined ? schema : { allOf: [other, schema] });
  }
  return Object.fromEntries(properties);
}

/** Where nothing is in both, the schemas contradict each other, and the first is as good as any; so it is where there is too much to compare. */
function inBoth(known: JsonValue, value: JsonValue): JsonValue {
  const allowed = isList(value) ? value : [value];
  if (allowed.length > maxParts) return known;
  const common = (isList(known) ? known : [known]).filter((one) =>
    allowed.some((other) => isDeepStrictEqual(one, other) || (one === 'number' && other === 'integer')),
  );
  if (common.length === 0) return known;
  return common.length === 1 && !isList(known) ? known : common;
}

function pointerPart(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A lone % stands for itself.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
