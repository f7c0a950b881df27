import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { parameterNames } from './names.js';
import { type FlatSchema, flatten, isList } from './schema.js';
import { type Property, propertiesOf, type TypeReader, textOf } from './type-reader.js';
import { anyType, isOfType, type Scalar, type ValueType } from './value-type.js';

export interface Parameter {
  /** In the arguments of the tool. */
  readonly key: string;
  /** In Python. */
  readonly name: string;
  readonly type: ValueType;
  readonly isRequired: boolean;
  readonly default?: Scalar;
  readonly description?: string;
}

/** What a function takes: a parameter for each property, or where those are not known, all arguments as one dict. */
export type Input =
  | { readonly kind: 'parameters'; readonly parameters: readonly Parameter[]; readonly more?: string }
  | { readonly kind: 'arguments'; readonly isRequired: boolean };

const maxParameters = 200;
const longestDefault = 200;

export function readInput(schema: JsonValue, reader: TypeReader, hint: string): Input {
  const flat = isJsonObject(schema) ? flatten(schema, schema) : new Map<string, JsonValue>();
  const properties = allProperties(schema, flat);
  const isOpen = properties.size === 0 && !isJsonObject(flat.get('properties'));
  if (isOpen || properties.size > maxParameters) {
    return { kind: 'arguments', isRequired: [...properties.values()].some(({ isRequired }) => isRequired) };
  }
  const names = parameterNames([...properties.keys()]);
  const parameters = [...properties].flatMap(([key, property]) => {
    const parameter = readParameter(key, names.get(key) ?? key, property, reader, hint);
    return parameter ? [parameter] : [];
  });
  const sorted = [...parameters.filter(mustBeGiven), ...parameters.filter((one) => !mustBeGiven(one))];
  return { kind: 'parameters', parameters: sorted, more: takesMore(flat) ? freeName('more', names) : undefined };
}

export function mustBeGiven(parameter: Parameter): boolean {
  return parameter.isRequired && parameter.default === undefined;
}

function readParameter(
  key: string,
  name: string,
  { schema, isRequired }: Property,
  reader: TypeReader,
  hint: string,
): Parameter | undefined {
  const read = reader.typeOf(schema, `${hint} ${key}`);
  if (read.kind === 'never' && !isRequired) return undefined;
  const type = read.kind === 'never' ? anyType : read;
  const description = isJsonObject(schema) ? textOf(schema.description) : undefined;
  return { key, name, type, isRequired, default: defaultOf(schema, type), description };
}

/** A default that is no scalar, or does not fit the type, is left to the server. */
function defaultOf(schema: JsonValue, type: ValueType): Scalar | undefined {
  const value = isJsonObject(schema) ? schema.default : undefined;
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
  if (typeof value === 'string' && value.length > longestDefault) return undefined;
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  return isScalar(value) && isOfType(type, value) ? value : undefined;
}

function isScalar(value: JsonValue): value is Scalar {
  return value === null || typeof value !== 'object';
}

/** With those of the choices beside them, which need be given only where every choice asks for them. */
function allProperties(root: JsonValue, flat: FlatSchema): ReadonlyMap<string, Property> {
  const own = propertiesOf(flat);
  const choices = [flat.get('anyOf'), flat.get('oneOf')].find(isList)?.slice(0, maxParameters) ?? [];
  if (choices.length === 0 || !choices.every(isJsonObject)) return own;
  const ofChoices = choices.map((choice) => propertiesOf(flatten(root, choice)));
  const properties = new Map<string, { schemas: JsonValue[]; required: number }>();
  for (const [key, { schema, isRequired }] of ofChoices.flatMap((choice) => [...choice])) {
    const entry = properties.get(key) ?? { schemas: [], required: 0 };
    properties.set(key, { schemas: [...entry.schemas, schema], required: entry.required + Number(isRequired) });
  }
  const merged = new Map(own);
  for (const [key, { schemas, required }] of properties) {
    const isRequired = own.get(key)?.isRequired === true || required === choices.length;
    merged.set(key, { schema: own.get(key)?.schema ?? oneOf(schemas), isRequired });
  }
  return merged;
}

function oneOf(schemas: readonly JsonValue[]): JsonValue {
  const [first = true] = schemas;
  return schemas.length === 1 ? first : ({ anyOf: schemas } satisfies JsonObject);
}

/** Only where the schema says so in as many words: silence mostly means that nobody thought of it. */
function takesMore(flat: FlatSchema): boolean {
  const extra = flat.get('additionalProperties');
  return extra === true || isJsonObject(extra);
}

function freeName(wanted: string, taken: ReadonlyMap<string, string>): string {
  const names = new Set(taken.values());
  let name = wanted;
  while (names.has(name)) name = `${name}_`;
  return name;
}
