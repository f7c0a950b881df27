import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../toolbox.js';
import { isList } from './shape.js';

export type Step = string | number;

export interface Misfit {
  readonly path: readonly Step[];
  readonly problem: string;
  /** Already the kind of value is another one. */
  readonly isOfOtherKind?: boolean;
}

const maxSteps = 20_000;
const maxDepth = 64;

/**
 * The first place where a value is not what the types made of a schema promise: kinds, keys, fixed values. A schema is hostile
 * text, so it is interpreted in bounded steps and never compiled; what is not understood, or lies beyond the bound, fits.
 */
export function firstMisfit(schema: JsonSchema, value: JsonValue): Misfit | undefined {
  let stepsLeft = maxSteps;
  return check(schema, value, []);

  function check(
    at: JsonValue | undefined,
    found: JsonValue,
    path: readonly Step[],
    depth: number = path.length,
  ): Misfit | undefined {
    stepsLeft -= 1;
    if (stepsLeft < 0 || depth > maxDepth) return undefined;
    if (at === false) return { path, problem: 'should not be there' };
    // an id changes what references mean
    if (!isJsonObject(at) || (at !== schema && at.$id !== undefined)) return undefined;
    if (at.$ref !== undefined) return check(referred(schema, at.$ref), found, path, depth + 1);
    return (
      checkKind(at, found, path) ??
      checkFixed(at, found, path) ??
      checkCombined(at, found, path, depth + 1) ??
      (isList(found) ? checkItems(at, found, path, depth + 1) : undefined) ??
      (isJsonObject(found) ? checkFields(at, found, path, depth + 1) : undefined)
    );
  }

  function checkCombined(at: JsonObject, found: JsonValue, path: readonly Step[], depth: number): Misfit | undefined {
    for (const part of listOf(at.allOf)) {
      const misfit = check(part, found, path, depth);
      if (misfit) return misfit;
    }
    for (const members of [listOf(at.anyOf), listOf(at.oneOf)]) {
      const misfit = members.length > 0 ? checkAny(members, found, path, depth) : undefined;
      if (misfit) return misfit;
    }
    return undefined;
  }

  /** Of members none of which fits, the one that went furthest was probably meant. */
  function checkAny(members: readonly JsonValue[], found: JsonValue, path: readonly Step[], depth: number) {
    let furthest: Misfit = {
      path,
      problem: `is ${kindOf(found)}, and fits none of the forms it may have`,
      isOfOtherKind: true,
    };
    for (const member of members) {
      const misfit = check(member, found, path, depth);
      if (misfit === undefined) return undefined;
      if (nearness(misfit) > nearness(furthest)) furthest = misfit;
    }
    return furthest;
  }

  function checkItems(at: JsonObject, found: readonly JsonValue[], path: readonly Step[], depth: number) {
    const first = listOf(isList(at.items ?? null) ? at.items : at.prefixItems);
    const rest = isList(at.items ?? null) ? undefined : at.items;
    for (const [index, item] of found.entries()) {
      if (stepsLeft < 0 || (rest === undefined && index >= first.length)) return undefined;
      const misfit = check(index < first.length ? first[index] : rest, item, [...path, index], depth);
      if (misfit) return misfit;
    }
    return undefined;
  }

  function checkFields(at: JsonObject, found: JsonObject, path: readonly Step[], depth: number): Misfit | undefined {
    const missing = listOf(at.required).find((key) => typeof key === 'string' && !Object.hasOwn(found, key));
    if (missing !== undefined) return { path, problem: `has no ${keyText(String(missing))}` };
    const properties = isJsonObject(at.properties) ? at.properties : {};
    const others = at.patternProperties === undefined ? at.additionalProperties : undefined;
    for (const [key, value] of Object.entries(found)) {
      if (stepsLeft < 0) return undefined;
      const misfit = check(Object.hasOwn(properties, key) ? properties[key] : others, value, [...path, key], depth);
      if (misfit) return misfit;
    }
    return undefined;
  }
}

export function pathText(path: readonly Step[]): string {
  if (path.length === 0) return 'it';
  const shown = path.length > shownSteps ? [...path.slice(0, shownSteps - 1), '…', path.at(-1) ?? ''] : path;
  const text = shown.map((step) => (typeof step === 'number' ? `[${step}]` : `.${keyText(step)}`)).join('');
  return text.startsWith('.') ? text.slice(1) : text;
}

const shownSteps = 8;
const shownKeyLength = 40;

/** Keys are foreign text. */
function keyText(key: string): string {
  if (/^[\w$…-]{1,40}$/.test(key)) return key;
  const cut = key.length > shownKeyLength ? `${key.slice(0, shownKeyLength)}…` : key;
  return JSON.stringify(cut).replace(/[^\x20-\x7e…]/g, '?');
}

function nearness({ path, isOfOtherKind }: Misfit): number {
  return path.length * 2 + (isOfOtherKind === true ? 0 : 1);
}

const kinds = new Set<JsonValue>(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']);

function checkKind(at: JsonObject, found: JsonValue, path: readonly Step[]): Misfit | undefined {
  const types = typeof at.type === 'string' ? [at.type] : listOf(at.type);
  if (types.length === 0 || !types.every((type) => kinds.has(type))) return undefined;
  const kind = kindOf(found);
  if (types.includes(kind) || (kind === 'integer' && types.includes('number'))) return undefined;
  if (found === null && at.nullable === true) return undefined;
  return { path, problem: `is ${kind}, expected ${types.join(' or ')}`, isOfOtherKind: true };
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Values that are objects or arrays are not compared. */
function checkFixed(at: JsonObject, found: JsonValue, path: readonly Step[]): Misfit | undefined {
  const fixed = at.const === undefined ? listOf(at.enum) : [at.const];
  if (fixed.length === 0) return undefined;
  const fits = isScalar(found) ? fixed.includes(found) : fixed.some((value) => !isScalar(value));
  return fits || (found === null && at.nullable === true)
    ? undefined
    : { path, problem: 'is none of the values that it may have' };
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

/** What a reference inside the schema names. */
function referred(root: JsonSchema, reference: JsonValue): JsonValue | undefined {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/') || reference.length > 1000) return undefined;
  let at: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeStep(step);
    if (isList(at ?? null)) at = listOf(at)[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isList(value) ? value : [];
}
