import { isJsonObject, type JsonObject, type JsonValue, type Tool } from '../../toolbox.js';
import { isList } from '../expect/json.js';
import { exampleText } from './example-text.js';
import { createReferences } from './references.js';

/** Arguments that a tool should take, by its own schema; or why none could be made. */
export type ExampleArguments = { readonly arguments: JsonObject } | { readonly problem: string };

const deepest = 12;
const mostItems = 10;
const mostValues = 500;

class NoExample extends Error {}

export function exampleArguments({ inputSchema }: Tool): ExampleArguments {
  const references = createReferences(inputSchema);
  let values = 0;
  try {
    const made = exampleOf(inputSchema, 'the arguments', 0);
    return isJsonObject(made) ? { arguments: made } : { problem: 'its inputSchema is not one of an object' };
  } catch (error) {
    if (error instanceof NoExample) return { problem: error.message };
    throw error;
  }

  function exampleOf(given: JsonValue, where: string, depth: number): JsonValue {
    values += 1;
    if (depth > deepest || values > mostValues) throw new NoExample(`${where} have a schema that goes too deep`);
    const schema = resolved(given, where);
    const said = saidIn(schema);
    if (said !== undefined) return said;
    const choices = [schema.anyOf, schema.oneOf].flatMap((each) => (isList(each) ? each : []));
    const choice = choices.find((each) => !isNull(each)) ?? choices[0];
    if (choice !== undefined) return exampleOf(merged(withoutChoices(schema), choice, where), where, depth + 1);
    return ofType(typeOf(schema), schema, where, depth);
  }

  /** Without `$ref` and `allOf`. */
  function resolved(given: JsonValue, where: string): JsonObject {
    if (given === true) return {};
    if (!isJsonObject(given)) throw new NoExample(`${where} have no schema`);
    const { $ref, allOf, ...own } = given;
    let schema: JsonObject = own;
    if (typeof $ref === 'string') {
      const target = references.resolve($ref);
      if (target === undefined) throw new NoExample(`the schema of ${where} refers to ${JSON.stringify($ref)}`);
      schema = merged(resolved(target, where), schema, where);
    }
    for (const part of isList(allOf) ? allOf : []) schema = merged(schema, resolved(part, where), where);
    return schema;
  }

  function merged(one: JsonObject, other: JsonValue, where: string): JsonObject {
    const more = isJsonObject(other) ? (other.$ref === undefined ? other : resolved(other, where)) : {};
    return {
      ...one,
      ...more,
      ...((isJsonObject(one.properties) || isJsonObject(more.properties)) && {
        properties: { ...objectOr(one.properties), ...objectOr(more.properties) },
      }),
      ...((isList(one.required) || isList(more.required)) && {
        required: [...listOr(one.required), ...listOr(more.required)],
      }),
    };
  }

  function ofType(type: string, schema: JsonObject, where: string, depth: number): JsonValue {
    if (type === 'object') return ofObject(schema, where, depth);
    if (type === 'array') return ofArray(schema, where, depth);
    if (type === 'number' || type === 'integer') return ofNumber(type, schema);
    if (type === 'boolean') return false;
    if (type === 'null') return null;
    const made = exampleText(schema);
    if ('problem' in made) throw new NoExample(`${where}: ${made.problem}`);
    return made.text;
  }

  function ofObject({ properties, required }: JsonObject, where: string, depth: number): JsonObject {
    const known = objectOr(properties);
    const names = [...new Set(listOr(required).filter((name) => typeof name === 'string'))];
    return Object.fromEntries(
      names.map((name) => {
        const inside = depth === 0 ? `the argument ${name}` : `${where}, ${name}`;
        return [name, exampleOf(Object.hasOwn(known, name) ? (known[name] ?? true) : true, inside, depth + 1)];
      }),
    );
  }

  function ofArray({ items, prefixItems, minItems, maxItems }: JsonObject, where: string, depth: number): JsonValue[] {
    const first = listOr(prefixItems);
    const least = Math.max(typeof minItems === 'number' ? minItems : 1, first.length);
    const length = Math.min(least, typeof maxItems === 'number' ? maxItems : least);
    if (length > mostItems) throw new NoExample(`${where} want a list of ${length}`);
    const rest = items === undefined || items === false ? true : items;
    return Array.from({ length }, (_, index) => exampleOf(first[index] ?? rest, `an element of ${where}`, depth + 1));
  }
}

/** What the schema itself names. */
function saidIn({ examples, example, default: usual, const: only, enum: choices }: JsonObject): JsonValue | undefined {
  const [first] = [...listOr(examples), example, usual, only, ...listOr(choices)].filter((each) => each !== undefined);
  return first;
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  const named = listOr(type).filter((each) => typeof each === 'string');
  const [first] = [...named.filter((each) => each !== 'null'), ...named];
  if (first !== undefined) return first;
  if (schema.properties !== undefined || schema.required !== undefined) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  return schema.minimum !== undefined || schema.maximum !== undefined ? 'number' : 'string';
}

function ofNumber(type: 'number' | 'integer', schema: JsonObject): number {
  const whole = type === 'integer';
  const step = typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : undefined;
  const above = numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY);
  const least = Math.max(numberOr(schema.minimum, Number.NEGATIVE_INFINITY), whole ? Math.floor(above) + 1 : above);
  const below = numberOr(schema.exclusiveMaximum, Number.POSITIVE_INFINITY);
  const most = Math.min(numberOr(schema.maximum, Number.POSITIVE_INFINITY), whole ? Math.ceil(below) - 1 : below);
  const middle = (least + most) / 2;
  const isWithin = (value: number) => value >= least && value <= most && value > above && value < below;
  const candidates = [1, least, most, Math.ceil(least), Math.floor(most), middle, least + 1, most - 1];
  const fitting = candidates.map((each) => (step === undefined ? each : Math.ceil(each / step) * step));
  return fitting.find((each) => Number.isFinite(each) && isWithin(each) && (!whole || Number.isInteger(each))) ?? 1;
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function withoutChoices({ anyOf, oneOf, ...schema }: JsonObject): JsonObject {
  return schema;
}

function isNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && (schema.type === 'null' || schema.const === null);
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOr(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}
