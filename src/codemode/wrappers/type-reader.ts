import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { isPlainText, literalType } from './literal-type.js';
import { type FlatSchema, flatten, isList, plainReference, resolveReference } from './schema.js';
import type { TypeNames } from './type-names.js';
import { anyType, type Declaration, type Field, neverType, unionOf, type ValueType } from './value-type.js';

/** Reads the types out of one schema document. What it cannot say, or what goes too far, is anything. */
export interface TypeReader {
  /** `hint` is what a type is named after, where it needs a name. */
  typeOf(schema: JsonValue | undefined, hint: string): ValueType;
}

/** A schema that is being read, or was. Its name is claimed when it turns out to contain itself. */
interface Target {
  readonly containers: number;
  readonly hint: string;
  name?: string;
  isJsonObject?: boolean;
  type?: ValueType;
}

const maxDepth = 20;
const maxSchemas = 3000;
const maxDeclared = 200;
const maxFields = 250;
const kinds = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
type Kind = (typeof kinds)[number];

export function createTypeReader(root: JsonValue, names: TypeNames, declare: (one: Declaration) => void): TypeReader {
  const targets = new Map<JsonValue, Target>();
  let declared = 0;
  let depth = 0;
  let containers = 0;
  return { typeOf };

  function typeOf(schema: JsonValue | undefined, hint: string): ValueType {
    if (schema === false) return neverType;
    if (!isJsonObject(schema)) return anyType;
    const known = targets.get(schema);
    if (known) return known.type ?? asPartOfItself(known);
    if (depth >= maxDepth || targets.size >= maxSchemas) return anyType;
    const target: Target = { containers, hint };
    targets.set(schema, target);
    depth++;
    const type = read(schema, hint, target);
    depth--;
    target.type = named(target, type);
    return target.type;
  }

  function read(schema: JsonObject, hint: string, target: Target): ValueType {
    const reference = plainReference(schema);
    if (reference === undefined) return ofFlat(flatten(root, schema), hint, target);
    return typeOf(resolveReference(root, reference), hintOf(reference) ?? hint);
  }

  function asPartOfItself(target: Target): ValueType {
    // A type that is itself, or itself or something else, says nothing.
    if (target.containers === containers) return anyType;
    target.name ??= names.claim(target.hint);
    return { kind: 'named', name: target.name };
  }

  function named(target: Target, type: ValueType): ValueType {
    if (target.name === undefined || target.isJsonObject) return type;
    declare({ kind: 'alias', name: target.name, type });
    return { kind: 'named', name: target.name };
  }

  function ofFlat(flat: FlatSchema, hint: string, target: Target): ValueType {
    const allowed = kindsOf(flat);
    const values = flat.has('const') ? [flat.get('const') ?? null] : flat.get('enum');
    if (isList(values) && values.length > 0) {
      const fitting = values.filter((value) => allowed === undefined || allowed.some((kind) => isOfKind(kind, value)));
      if (fitting.length > 0) return ofValuesListed(fitting, hint);
    }
    const choices = [flat.get('anyOf'), flat.get('oneOf')].find((list) => isList(list) && list.some(saysForm));
    if (isList(choices)) return ofChoices(flat, choices, hint);
    if (allowed === undefined) return anyType;
    const only = allowed.length === 1 ? target : undefined;
    return unionOf(allowed.map((kind) => ofKind(kind, flat, hint, only)));
  }

  /** Text with quotes or escapes gets a name, as not every place in which a type is said can hold it. */
  function ofValuesListed(values: readonly JsonValue[], hint: string): ValueType {
    const type = literalType(values);
    const members = type.kind === 'union' ? type.members : [type];
    return unionOf(
      members.map((member) => {
        if (member.kind !== 'literal' || member.values.every(isPlainText)) return member;
        const name = names.claim(hint);
        declare({ kind: 'alias', name, type: member });
        return { kind: 'named', name };
      }),
    );
  }

  /** What stands beside the choices holds for each of them. */
  function ofChoices(flat: FlatSchema, choices: readonly JsonValue[], hint: string): ValueType {
    const beside = Object.fromEntries([...flat].filter(([key]) => key !== 'anyOf' && key !== 'oneOf'));
    const members = choices.slice(0, maxFields).map((choice, index) => {
      const whole = saysForm(beside) && isJsonObject(choice) ? { allOf: [choice, beside] } : choice;
      return typeOf(whole, choices.length > 1 ? `${hint} ${index + 1}` : hint);
    });
    return unionOf(flat.get('nullable') === true ? [...members, { kind: 'null' }] : members);
  }

  function ofKind(kind: Kind, flat: FlatSchema, hint: string, target?: Target): ValueType {
    if (kind === 'array') return ofArray(flat, hint);
    return kind === 'object' ? ofObject(flat, hint, target) : { kind };
  }

  function ofArray(flat: FlatSchema, hint: string): ValueType {
    const items = flat.get('items');
    const heads = [flat.get('prefixItems'), items].find(isList);
    return within(() => {
      if (!heads) return { kind: 'list', items: orAny(typeOf(items, `${hint} item`)) };
      const types = heads.slice(0, maxFields).map((head, index) => orAny(typeOf(head, `${hint} item ${index + 1}`)));
      const rest = heads === items ? flat.get('additionalItems') : items;
      const isClosed = rest === false || flat.get('maxItems') === heads.length;
      const hasAll = flat.get('minItems') === heads.length;
      if (isClosed && hasAll && types.length > 0) return { kind: 'tuple', items: types };
      const others = isClosed ? neverType : typeOf(rest, `${hint} item`);
      return { kind: 'list', items: orAny(unionOf([...types, others])) };
    });
  }

  function ofObject(flat: FlatSchema, hint: string, target?: Target): ValueType {
    const properties = propertiesOf(flat);
    const extra = flat.get('additionalProperties');
    if (properties.size > maxFields || declared >= maxDeclared) return { kind: 'map', values: anyType };
    if (properties.size === 0) return within(() => ({ kind: 'map', values: ofValues(flat, hint) }));
    if (isJsonObject(extra) && Object.keys(extra).length > 0) return { kind: 'map', values: anyType };
    declared++;
    const name = names.claim(hint);
    if (target) Object.assign(target, { name, isJsonObject: true });
    const fields = within(() => fieldsOf(properties, name));
    declare({ kind: 'object', name, fields, description: textOf(flat.get('description')) });
    return { kind: 'named', name };
  }

  function fieldsOf(properties: ReadonlyMap<string, Property>, hint: string): readonly Field[] {
    return [...properties].flatMap(([key, { schema, isRequired }]) => {
      const type = typeOf(schema, `${hint} ${key}`);
      const description = isJsonObject(schema) ? textOf(schema.description) : undefined;
      return type.kind === 'never' ? [] : [{ key, type, isRequired, description }];
    });
  }

  /** Of an object whose keys are data. */
  function ofValues(flat: FlatSchema, hint: string): ValueType {
    const patterns = flat.get('patternProperties');
    const schemas = [...(isJsonObject(patterns) ? Object.values(patterns) : []), flat.get('additionalProperties')];
    const said = schemas.filter(isJsonObject).slice(0, maxFields);
    return said.length === 0 ? anyType : orAny(unionOf(said.map((schema) => typeOf(schema, `${hint} value`))));
  }

  function within<T>(read: () => T): T {
    containers++;
    const type = read();
    containers--;
    return type;
  }
}

export interface Property {
  readonly schema: JsonValue;
  readonly isRequired: boolean;
}

/** The properties of an object, with those that it must have and says nothing else of. */
export function propertiesOf(flat: FlatSchema): ReadonlyMap<string, Property> {
  const said = flat.get('properties');
  const listed = flat.get('required');
  const required = new Set((isList(listed) ? listed : []).filter((key) => typeof key === 'string'));
  const properties = new Map<string, Property>();
  for (const [key, schema] of Object.entries(isJsonObject(said) ? said : {})) {
    properties.set(key, { schema, isRequired: required.has(key) });
  }
  for (const key of required) if (!properties.has(key)) properties.set(key, { schema: true, isRequired: true });
  return properties;
}

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The kinds that a schema names, or that its keywords are about; none where it leaves that open. */
function kindsOf(flat: FlatSchema): readonly Kind[] | undefined {
  const type = flat.get('type');
  const named = kinds.filter((kind) => (isList(type) ? type.includes(kind) : type === kind));
  const found = named.length > 0 ? named : kindsMeantBy(flat);
  if (found.length === 0) return undefined;
  return flat.get('nullable') === true && !found.includes('null') ? [...found, 'null'] : found;
}

function kindsMeantBy(flat: FlatSchema): readonly Kind[] {
  const has = (...keys: readonly string[]) => keys.some((key) => isJsonObject(flat.get(key)));
  if (has('properties', 'patternProperties', 'additionalProperties')) return ['object'];
  return has('items') || isList(flat.get('items')) || isList(flat.get('prefixItems')) ? ['array'] : [];
}

/** Other choices only say which properties must come together. */
function saysForm(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return schema === true;
  const keys = ['$ref', 'type', 'properties', 'items', 'prefixItems', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'];
  return [...keys, 'additionalProperties', 'patternProperties'].some((key) => Object.hasOwn(schema, key));
}

function isOfKind(kind: Kind, value: JsonValue): boolean {
  if (kind === 'null') return value === null;
  if (kind === 'integer') return Number.isInteger(value);
  if (kind === 'array') return isList(value);
  return kind === 'object' ? isJsonObject(value) : typeof value === kind;
}

function orAny(type: ValueType): ValueType {
  return type.kind === 'never' ? anyType : type;
}

/** `#/$defs/Address` is an `Address`. */
function hintOf(reference: string): string | undefined {
  return reference.length > 2 ? reference.split('/').at(-1) : undefined;
}
