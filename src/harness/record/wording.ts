import { looksSecret } from '../../redact.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { isList } from '../expect/json.js';
import type { Written } from './literals.js';
import type { ExpectationInput } from './observed.js';
import type { Secrets } from './secrets.js';

/** Values that a suite takes from earlier answers, and their names. */
export type References = ReadonlyMap<string | number, string>;

type Fields = NonNullable<ExpectationInput['data']>;

/** Values as a suite writes them: references and variables for what is not literal. */
export interface Wording {
  input(value: JsonObject, where: string): Record<string, Written>;
  text(text: string, where: string): string;
  /** Without what cannot be the same next time: `own` are values that later input takes from this very answer. */
  expectation(given: ExpectationInput, own: References): ExpectationInput;
  /** Names of the references that were written. */
  readonly used: ReadonlySet<string>;
}

export function createWording(secrets: Secrets, references: References): Wording {
  const used = new Set<string>();
  const parts = [...references.keys()].filter((key) => typeof key === 'string' && key.length >= 8).map(String);
  parts.sort((one, other) => other.length - one.length);

  return {
    input: (value, where) => Object.fromEntries(entriesOf(value, where)),
    text: (text, where) => String(inValue(text, where, '')),
    expectation,
    used,
  };

  function entriesOf(value: JsonObject, where: string): [string, Written][] {
    return Object.entries(value).map(([key, each]) => [secrets.hidden(key), inValue(each, where, key)]);
  }

  function inValue(value: JsonValue, where: string, name: string): Written {
    if (isList(value)) return value.map((each) => inValue(each, where, name));
    if (isJsonObject(value)) return Object.fromEntries(entriesOf(value, where));
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    return knownAs(value) ?? (typeof value === 'string' ? inText(value, where, name) : value);
  }

  function inText(text: string, where: string, name: string): string {
    const part = parts.find((each) => text.includes(each));
    const found = part === undefined ? undefined : references.get(part);
    if (part === undefined || found === undefined) return secrets.inText(text, where, name);
    return text
      .split(part)
      .map((piece) => (piece === '' ? '' : inText(piece, where, '')))
      .join(reference(found));
  }

  function reference(name: string): string {
    used.add(name);
    return `{{ ${name} }}`;
  }

  function expectation({ text, data, fields: listed, ...rest }: ExpectationInput, own: References): ExpectationInput {
    const written = writtenText(text, own);
    const kept = sayable(listed ?? {});
    return {
      ...rest,
      ...(Object.keys(kept).length > 0 && { fields: kept }),
      ...(written !== undefined && { text: written }),
      ...(data !== undefined && { data: fields(data, own) }),
    };
  }

  function writtenText(given: ExpectationInput['text'], own: References): ExpectationInput['text'] {
    const text = typeof given === 'object' ? given.contains : given;
    if (typeof text !== 'string' || secrets.isIn(text) || holdsOneOf(text, own)) return undefined;
    const written = inText(text, 'what is expected', '');
    return typeof given === 'object' ? { contains: written } : written;
  }

  function fields(data: Fields, own: References): Fields {
    const entries = Object.entries(sayable(data));
    return Object.fromEntries(entries.map(([path, field]) => [path, fieldOf(path, field, own)]));
  }

  function sayable(data: Fields): Fields {
    return Object.fromEntries(Object.entries(data).filter(([path]) => !secrets.isIn(path)));
  }

  function fieldOf(path: string, field: Fields[string], own: References): Fields[string] {
    if (typeof field === 'number') return own.has(field) ? { type: 'number' } : (knownAs(field) ?? field);
    if (typeof field !== 'string') return field;
    const isVarying = holdsOneOf(field, own) || secrets.isIn(field) || looksSecret(path);
    return isVarying ? { type: 'string' } : inText(field, 'what is expected', '');
  }

  function knownAs(value: string | number): string | undefined {
    const name = references.get(value);
    return name === undefined ? undefined : reference(name);
  }
}

function holdsOneOf(text: string, values: References): boolean {
  return [...values.keys()].some((value) => text.includes(String(value)));
}
