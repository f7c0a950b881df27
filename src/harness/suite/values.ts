import { shownName } from '../../configfile/place.js';
import { nearest } from '../../nearest.js';
import type { JsonValue } from '../../toolbox.js';
import { kindOf } from './kinds.js';
import { nameOf, type Reference, referenceForm, referenceIn } from './references.js';

/** What `{{ name }}` may stand for: variables, columns of a row, captured values, `temp`, `suite_folder`. */
export type Values = Readonly<Record<string, JsonValue>>;

const longestText = 64 * 1024 * 1024;
const mostShown = 20;

/** A reference to something that there is not, or that cannot be put in its place. */
export class UnknownValue extends Error {
  override readonly name = 'UnknownValue';
  /** The name of the value that was asked for. */
  readonly name_: string;

  constructor(name: string, message: string) {
    super(message);
    this.name_ = name;
  }
}

/** Every text with its `{{ references }}` replaced. What comes in their place is never read again. */
export function fillValues(value: JsonValue, values: Values): JsonValue {
  if (typeof value === 'string') return fillText(value, values);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => fillValues(item, values));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillValues(item, values)]));
}

/** Variables, each of which may use those above it and what is given. */
export function fillVariables(variables: Values, given: Values): Values {
  const filled: Record<string, JsonValue> = { ...given };
  for (const [name, value] of Object.entries(variables)) filled[name] = fillValues(value, filled);
  return filled;
}

function fillText(text: string, values: Values): JsonValue {
  if (!text.includes('{{')) return text;
  const whole = referenceIn(text);
  if (whole !== undefined) return lookUp(whole, values);
  let filled = '';
  let end = 0;
  for (const found of text.matchAll(referenceForm)) {
    filled += text.slice(end, found.index) + inText(found[0], values);
    end = found.index + found[0].length;
    if (filled.length > longestText) throw new UnknownValue('', 'The text is too long with its values in it');
  }
  return filled + text.slice(end);
}

function inText(written: string, values: Values): string {
  if (written.startsWith('\\')) return '{{';
  const reference = referenceIn(written);
  if (reference === undefined) throw new UnknownValue(nameOf(written), noReference(written));
  const value = lookUp(reference, values);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What to say of `{{ … }}` that cannot be a reference. */
export function noReference(written: string): string {
  return `${shownName(written)} names no value: expected a name, such as {{ user }} or {{ user.ids[0] }}; for the braces themselves write \\{{`;
}

function lookUp({ written, name, steps }: Reference, values: Values): JsonValue {
  if (!Object.hasOwn(values, name)) {
    throw new UnknownValue(name, `There is no value ${name} for ${written}; ${suggestion(name, Object.keys(values))}`);
  }
  let value: JsonValue = values[name] ?? null;
  let path = name;
  for (const step of steps) {
    const inner = below(value, step);
    if (inner === undefined)
      throw new UnknownValue(name, `There is no value for ${written}: ${absence(path, value, step)}`);
    path += typeof step === 'number' ? `[${step}]` : `.${step}`;
    value = inner;
  }
  return value;
}

/** Of objects what they have themselves, of lists elements: names of a prototype are no values. */
function below(value: JsonValue, step: string | number): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isList(value)) return typeof step === 'number' ? value.at(step) : undefined;
  return Object.hasOwn(value, step) ? value[step] : undefined;
}

function absence(path: string, value: JsonValue, step: string | number): string {
  if (typeof value !== 'object' || value === null) return `${path} is ${kindOf(value)} and has nothing in it`;
  if (isList(value)) {
    const found = `${path} is a list of ${value.length}`;
    return typeof step === 'number' ? found : `${found}, whose elements are written ${path}[0]`;
  }
  return `${path} has no ${step}; ${suggestion(String(step), Object.keys(value))}`;
}

function suggestion(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  if (near !== undefined) return `did you mean ${shownName(near)}?`;
  return names.length === 0 ? 'none is known' : `known are ${names.slice(0, mostShown).map(shownName).join(', ')}`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
