import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../toolbox.js';

/** Keywords whose members are names chosen by the author of the schema, each with a schema. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords with values, in which a member called $ref means nothing. */
const plainValues = new Set(['default', 'const', 'enum', 'examples', 'example']);
const deepest = 100;

/**
 * A schema at a place in a document, with its references to itself made to point there. One that leads nowhere is left
 * out, as is what is nested too deep to be meant.
 */
export function embedSchema(schema: JsonSchema, place: string): JsonSchema {
  const { $id: base, ...own } = schema;
  const anchors = new Map<string, string>();
  collectAnchors(own, '', anchors, 0);
  return rewrite(own, 0);

  function rewrite(part: JsonObject, depth: number): JsonObject {
    const members: [string, JsonValue][] = [];
    for (const [key, value] of Object.entries(part)) {
      if (key === '$anchor' && typeof value === 'string') continue;
      if (key !== '$ref' || typeof value !== 'string') members.push([key, rewriteMember(key, value, depth)]);
      else {
        const target = targetOf(value);
        if (target !== undefined) members.push([key, target]);
      }
    }
    return Object.fromEntries(members);
  }

  function rewriteMember(key: string, value: JsonValue, depth: number): JsonValue {
    if (plainValues.has(key) || typeof value !== 'object' || value === null) return value;
    if (depth >= deepest) return Array.isArray(value) ? [] : {};
    if (isList(value))
      return value.map((item) => (isJsonObject(item) && !hasId(item) ? rewrite(item, depth + 1) : item));
    if (!namedSchemas.has(key)) return hasId(value) ? value : rewrite(value, depth + 1);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        isJsonObject(item) && !hasId(item) ? rewrite(item, depth + 1) : item,
      ]),
    );
  }

  function targetOf(reference: string): string | undefined {
    const local =
      typeof base === 'string' && reference.startsWith(base) ? reference.slice(base.length) || '#' : reference;
    if (!local.startsWith('#')) return reference;
    const fragment = decoded(local.slice(1));
    const pointer = fragment === '' || fragment.startsWith('/') ? fragment : anchors.get(fragment);
    if (pointer === undefined || /\p{Surrogate}/u.test(pointer) || !leadsToSchema(own, pointer)) return undefined;
    return `${place}${encodeURI(pointer).replaceAll('#', '%23')}`;
  }
}

/** Anchors count for a whole document, where two tools might have the same; places do not clash. */
function collectAnchors(part: JsonObject, pointer: string, anchors: Map<string, string>, depth: number): void {
  if (depth > deepest || hasId(part)) return;
  if (typeof part.$anchor === 'string') anchors.set(part.$anchor, pointer);
  for (const [key, value] of Object.entries(part)) {
    if (plainValues.has(key) || typeof value !== 'object' || value === null) continue;
    const at = `${pointer}/${escaped(key)}`;
    const members = isList(value) || namedSchemas.has(key) ? Object.entries(value) : undefined;
    if (!members && isJsonObject(value)) collectAnchors(value, at, anchors, depth + 1);
    for (const [name, member] of members ?? []) {
      if (isJsonObject(member)) collectAnchors(member, `${at}/${escaped(name)}`, anchors, depth + 1);
    }
  }
}

function leadsToSchema(schema: JsonObject, pointer: string): boolean {
  let at: JsonValue | undefined = schema;
  const names = pointer.split('/').slice(1);
  if (names.length > deepest) return false;
  for (const name of names.map(unescaped)) {
    if (isList(at)) at = at[Number(name)];
    else if (isJsonObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return false;
  }
  return isJsonObject(at) || typeof at === 'boolean';
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function hasId(value: JsonObject): boolean {
  return typeof value.$id === 'string';
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
