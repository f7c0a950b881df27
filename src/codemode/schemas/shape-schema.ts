import { isJsonObject, type JsonSchema, type JsonValue } from '../../toolbox.js';
import { hasKeysAsData } from './keys.js';
import {
  absorb,
  anyShape,
  emptyFields,
  emptyShape,
  type Fields,
  forgetKeys,
  maxDepth,
  type Scalar,
  type Shape,
} from './shape.js';

/** Places of a schema; what lies too deep for it is left open. */
const maxPlaces = 2000;

/** The schema of a shape, always the same for the same shape. It takes whatever the shape was seen in. */
export function schemaOf(shape: Shape): JsonSchema {
  forgetDataKeys(shape);
  return write(shape, deepestThatFits(shape));
}

/** The shape that a schema was made of; anything, of a schema that was not made here. */
export function shapeOf(schema: JsonValue | undefined, depth = 0): Shape {
  if (!isJsonObject(schema) || depth > maxDepth) return anyShape();
  const { anyOf } = schema;
  if (anyOf !== undefined) return Array.isArray(anyOf) ? shapeOfUnion(anyOf, depth) : anyShape();
  const shape = emptyShape();
  for (const type of [schema.type].flat()) {
    if (isScalar(type)) shape.scalars.add(type);
    else if (type === 'array')
      shape.items = schema.items === undefined ? emptyShape() : shapeOf(schema.items, depth + 1);
    else if (type === 'object') shape.fields = fieldsOf(schema, depth);
    else return anyShape();
  }
  return Object.keys(schema).every((keyword) => keywords.has(keyword)) ? shape : anyShape();
}

const keywords = new Set(['type', 'items', 'properties', 'required', 'additionalProperties']);

const scalars = ['boolean', 'integer', 'null', 'number', 'string'] as const satisfies readonly Scalar[];

function isScalar(type: unknown): type is Scalar {
  return scalars.some((scalar) => scalar === type);
}

function forgetDataKeys(shape: Shape): void {
  const { items, fields } = shape;
  if (items) forgetDataKeys(items);
  if (fields === undefined) return;
  if (hasKeysAsData([...fields.properties.keys()])) forgetKeys(fields);
  if (fields.values) forgetDataKeys(fields.values);
  for (const { shape: inner } of fields.properties.values()) forgetDataKeys(inner);
}

/** What lies one deeper has a place as well, and nothing in it. */
function deepestThatFits(shape: Shape): number {
  let level: readonly Shape[] = [shape];
  let places = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    places += level.length;
    if (places > maxPlaces) return depth - 2;
    level = level.flatMap(shapesIn);
  }
  return maxDepth;
}

function shapesIn({ items, fields }: Shape): readonly Shape[] {
  const inside = [items, fields?.values].filter((shape) => shape !== undefined);
  return [...inside, ...[...(fields?.properties.values() ?? [])].map((property) => property.shape)];
}

function write(shape: Shape, depth: number): JsonSchema {
  if (shape.isAnything || depth < 0) return {};
  const plain = typesOf(shape.scalars);
  const kinds: readonly JsonSchema[] = [
    ...(plain.length > 0 ? [{ type: plain.length > 1 ? plain : (plain[0] ?? null) }] : []),
    ...(shape.items ? [writeList(shape.items, depth)] : []),
    ...(shape.fields ? [writeObject(shape.fields, depth)] : []),
  ];
  const [only, ...others] = kinds;
  return only !== undefined && others.length === 0 ? only : kinds.length > 0 ? { anyOf: kinds } : {};
}

/** Every integer is a number. */
function typesOf(seen: ReadonlySet<Scalar>): readonly Scalar[] {
  return scalars.filter((scalar) => seen.has(scalar) && !(scalar === 'integer' && seen.has('number')));
}

/** Without `items` nothing is known of what would be in it. */
function writeList(items: Shape, depth: number): JsonSchema {
  return isEmpty(items) ? { type: 'array' } : { type: 'array', items: write(items, depth - 1) };
}

function writeObject({ seen, properties, values }: Fields, depth: number): JsonSchema {
  if (values) return { type: 'object', additionalProperties: write(values, depth - 1) };
  const entries = [...properties].sort(([one], [other]) => (one < other ? -1 : 1));
  const required = entries.filter(([, property]) => property.seen >= seen).map(([key]) => key);
  return {
    type: 'object',
    ...(entries.length > 0 && {
      properties: Object.fromEntries(entries.map(([key, { shape }]) => [key, write(shape, depth - 1)])),
    }),
    ...(required.length > 0 && { required }),
  };
}

function isEmpty({ isAnything, scalars: seen, items, fields }: Shape): boolean {
  return !isAnything && seen.size === 0 && items === undefined && fields === undefined;
}

function shapeOfUnion(members: readonly JsonValue[], depth: number): Shape {
  const union = emptyShape();
  for (const member of members) absorb(union, isUnion(member) ? anyShape() : shapeOf(member, depth));
  return union;
}

/** None that is made here has another in it. */
function isUnion(schema: JsonValue): boolean {
  return isJsonObject(schema) && schema.anyOf !== undefined;
}

function fieldsOf({ properties, required, additionalProperties }: JsonSchema, depth: number): Fields {
  const fields = emptyFields();
  fields.seen = 1;
  if (additionalProperties !== undefined) {
    fields.values = shapeOf(additionalProperties, depth + 1);
    return fields;
  }
  const always = new Set(Array.isArray(required) ? required : []);
  for (const [key, schema] of Object.entries(isJsonObject(properties) ? properties : {})) {
    fields.properties.set(key, { seen: always.has(key) ? 1 : 0, shape: shapeOf(schema, depth + 1) });
  }
  return fields;
}
