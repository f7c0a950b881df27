export type Scalar = string | number | boolean | null;

/** What a value may be, in terms that every language has. */
export type ValueType =
  | { readonly kind: 'any' | 'never' | 'null' | 'string' | 'integer' | 'number' | 'boolean' }
  | { readonly kind: 'literal'; readonly values: readonly Scalar[] }
  | { readonly kind: 'list'; readonly items: ValueType }
  | { readonly kind: 'tuple'; readonly items: readonly ValueType[] }
  | { readonly kind: 'map'; readonly values: ValueType }
  | { readonly kind: 'union'; readonly members: readonly ValueType[] }
  | { readonly kind: 'named'; readonly name: string };

export interface Field {
  readonly key: string;
  readonly type: ValueType;
  readonly isRequired: boolean;
  readonly description?: string;
}

/** A type that has a name of its own. */
export type Declaration =
  | { readonly kind: 'object'; readonly name: string; readonly fields: readonly Field[]; readonly description?: string }
  | { readonly kind: 'alias'; readonly name: string; readonly type: ValueType };

export const anyType: ValueType = { kind: 'any' };
export const neverType: ValueType = { kind: 'never' };

const maxMembers = 40;

/** One type for what may be any of these. */
export function unionOf(types: readonly ValueType[]): ValueType {
  const members = new Map<string, ValueType>();
  for (const type of types.flatMap((one) => (one.kind === 'union' ? one.members : [one]))) {
    if (type.kind === 'any') return anyType;
    if (type.kind !== 'never') members.set(JSON.stringify(type), type);
  }
  const [first, ...others] = members.values();
  if (first === undefined) return neverType;
  if (others.length === 0) return first;
  return members.size > maxMembers ? anyType : { kind: 'union', members: [...members.values()].sort(nullLast) };
}

/** Whether a scalar is of the type, as far as that can be told without looking at named ones. */
export function isOfType(type: ValueType, value: Scalar): boolean {
  switch (type.kind) {
    case 'any':
      return true;
    case 'null':
      return value === null;
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type.kind;
    case 'literal':
      return type.values.includes(value);
    case 'union':
      return type.members.some((member) => isOfType(member, value));
    default:
      return false;
  }
}

/** The named types that a declaration speaks of itself. */
export function namesIn(declaration: Declaration): readonly string[] {
  return (declaration.kind === 'alias' ? [declaration.type] : declaration.fields.map(({ type }) => type)).flatMap(
    namesOf,
  );
}

function namesOf(type: ValueType): readonly string[] {
  switch (type.kind) {
    case 'named':
      return [type.name];
    case 'list':
      return namesOf(type.items);
    case 'map':
      return namesOf(type.values);
    case 'tuple':
      return type.items.flatMap(namesOf);
    case 'union':
      return type.members.flatMap(namesOf);
    default:
      return [];
  }
}

function nullLast(one: ValueType, other: ValueType): number {
  return Number(one.kind === 'null') - Number(other.kind === 'null');
}
