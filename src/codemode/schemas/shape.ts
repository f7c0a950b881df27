import type { JsonObject, JsonValue } from '../../toolbox.js';

export type Scalar = 'boolean' | 'integer' | 'null' | 'number' | 'string';

/** What was seen at one place of the samples. It only grows, and in any order to the same. */
export interface Shape {
  /** Deeper than is looked, or nothing that can be said. */
  isAnything: boolean;
  readonly scalars: Set<Scalar>;
  /** Where arrays were seen: what was in them, nothing while they were empty. */
  items?: Shape;
  /** Where objects were seen. */
  fields?: Fields;
}

export interface Fields {
  /** Objects that were seen; a property that was seen as often is in all of them. */
  seen: number;
  readonly properties: Map<string, Property>;
  /** Where the keys are data: what all the values have in common. `properties` is empty then. */
  values?: Shape;
}

export interface Property {
  seen: number;
  readonly shape: Shape;
}

export const maxDepth = 12;

export function emptyShape(): Shape {
  return { isAnything: false, scalars: new Set() };
}

export function anyShape(): Shape {
  return { isAnything: true, scalars: new Set() };
}

/** Adds what one value shows. */
export function observe(shape: Shape, value: JsonValue, depth = 0): void {
  if (shape.isAnything) return;
  if (depth > maxDepth) shape.isAnything = true;
  else if (value === null) shape.scalars.add('null');
  else if (typeof value === 'number') shape.scalars.add(Number.isInteger(value) ? 'integer' : 'number');
  else if (typeof value === 'boolean') shape.scalars.add('boolean');
  else if (typeof value === 'string') shape.scalars.add('string');
  else if (isList(value)) observeList(shape, value, depth);
  else observeObject(shape, value, depth);
}

/** Adds all that the other shape has. */
export function absorb(shape: Shape, other: Shape): void {
  shape.isAnything ||= other.isAnything;
  for (const scalar of other.scalars) shape.scalars.add(scalar);
  if (other.items) {
    shape.items ??= emptyShape();
    absorb(shape.items, other.items);
  }
  if (other.fields) {
    shape.fields ??= emptyFields();
    absorbFields(shape.fields, other.fields);
  }
}

/** Forgets the keys of objects, and keeps what their values have in common. */
export function forgetKeys(fields: Fields): void {
  fields.values ??= emptyShape();
  for (const { shape } of fields.properties.values()) absorb(fields.values, shape);
  fields.properties.clear();
}

export function emptyFields(): Fields {
  return { seen: 0, properties: new Map() };
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function observeList(shape: Shape, list: readonly JsonValue[], depth: number): void {
  shape.items ??= emptyShape();
  for (const item of list) observe(shape.items, item, depth + 1);
}

function observeObject(shape: Shape, object: JsonObject, depth: number): void {
  shape.fields ??= emptyFields();
  const { fields } = shape;
  fields.seen += 1;
  for (const [key, value] of Object.entries(object)) {
    observe(fields.values ?? seenOnceMore(fields, key, 1), value, depth + 1);
  }
}

function absorbFields(fields: Fields, other: Fields): void {
  fields.seen += other.seen;
  if (other.values) {
    fields.values ??= emptyShape();
    absorb(fields.values, other.values);
  }
  for (const [key, property] of other.properties) absorb(seenOnceMore(fields, key, property.seen), property.shape);
  if (fields.values) forgetKeys(fields);
}

function seenOnceMore(fields: Fields, key: string, times: number): Shape {
  const known = fields.properties.get(key);
  if (known) {
    known.seen += times;
    return known.shape;
  }
  const shape = emptyShape();
  fields.properties.set(key, { seen: times, shape });
  return shape;
}
