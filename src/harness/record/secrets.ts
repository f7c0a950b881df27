import { createRedactor, looksSecret, minSecretLength } from '../../redact.js';
import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { isList } from '../expect/json.js';
import { literalText, type Written } from './literals.js';
import { encodedForms } from './secret-forms.js';

/** A variable that stands for a secret in a suite. */
export interface SecretVariable {
  readonly name: string;
  /** Where the secret was found, in words. */
  readonly where: string;
  /** Whether the environment has it already. */
  readonly isSet: boolean;
}

export interface Secrets {
  /** The value as a suite may hold it: literal, and with secrets exchanged for `${VARIABLES}`. */
  inValue(value: JsonValue, where: string): Written;
  /** The same of the text that has this name. */
  inText(text: string, where: string, name?: string): string;
  /** Whether a text holds a secret, known or by its shape. */
  isIn(text: string): boolean;
  /** A text for people, without the secrets that are known or have the shape of one. */
  hidden(text: string): string;
  readonly variables: readonly SecretVariable[];
}

const scheme = /^(?:Bearer|Basic|Token|ApiKey) +(?=\S)/i;
const variableForm = /^[A-Za-z_]\w*$/;

/**
 * Finds what looks like a secret, by the name that it has or by its shape, and gives it a variable. What is taken from the
 * environment by name is none of a suite's either, whatever it is called.
 */
export function createSecrets(environment: NodeJS.ProcessEnv, taken: readonly string[] = []): Secrets {
  const given = new Map<string, string>();
  /** Those that are long enough to be found in other texts, and not by chance. */
  const known = new Map<string, string>();
  /** The same ones in the forms that they are sent and told in. */
  const encoded = new Map<string, string>();
  const variables: SecretVariable[] = [];
  const shapes = createRedactor({});
  for (const [name, value = ''] of Object.entries(environment)) {
    const isOne = looksSecret(name) || taken.includes(name);
    if (!isOne || !variableForm.test(name) || value.length < minSecretLength) continue;
    given.set(value, name);
    know(value, name);
  }

  return { inValue, inText, isIn, hidden, variables };

  function inValue(value: JsonValue, where: string, name?: string): Written {
    if (typeof value === 'string') return inText(value, where, name);
    if (isList(value)) return value.map((each) => inValue(each, where, name));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inValue(each, where, key)]));
  }

  function inText(text: string, where: string, name = ''): string {
    if (name !== '' && looksSecret(name) && text !== '') return asVariable(text, name, where);
    const secret = longest([...known.keys()].filter((each) => text.includes(each)));
    if (secret !== undefined) {
      noteUse(secret, where);
      const parts = text.split(secret).map((part) => inText(part, where));
      return parts.join(`\${${known.get(secret)}}`);
    }
    return hasShape(text) || holdsOneOf(encoded, text) ? asVariable(text, name || 'secret', where) : literalText(text);
  }

  function isIn(text: string): boolean {
    return hasShape(text) || holdsOneOf(known, text) || holdsOneOf(encoded, text);
  }

  function hidden(text: string): string {
    const without = [...known, ...encoded].reduce(
      (rest, [secret, name]) => rest.replaceAll(secret, () => `[${name}]`),
      text,
    );
    return shapes.text(without);
  }

  function hasShape(text: string): boolean {
    return shapes.text(text) !== text;
  }

  function asVariable(text: string, name: string, where: string): string {
    const [prefix = ''] = scheme.exec(text) ?? [];
    return `${prefix}\${${variableOf(text.slice(prefix.length), name, where)}}`;
  }

  /** Those that the environment had from the beginning are told of only where they stand somewhere. */
  function noteUse(secret: string, where: string): void {
    const name = given.get(secret);
    if (name === undefined || variables.some((each) => each.name === name)) return;
    variables.push({ name, where: hidden(where), isSet: true });
  }

  function variableOf(secret: string, name: string, where: string): string {
    const already = given.get(secret);
    noteUse(secret, where);
    if (already !== undefined) return already;
    const isLong = secret.length >= minSecretLength;
    const set = isLong ? Object.keys(environment).find((key) => isNameOf(key, secret)) : undefined;
    const variable = set ?? freeName(name);
    given.set(secret, variable);
    if (isLong) know(secret, variable);
    variables.push({ name: variable, where: hidden(where), isSet: set !== undefined });
    return variable;
  }

  function know(secret: string, name: string): void {
    known.set(secret, name);
    for (const form of encodedForms(secret)) encoded.set(form, name);
  }

  function isNameOf(key: string, secret: string): boolean {
    return environment[key] === secret && variableForm.test(key);
  }

  /** None that the environment has for something else. */
  function freeName(name: string): string {
    const wanted = variableName(name);
    const isTaken = (each: string) => environment[each] !== undefined || variables.some((one) => one.name === each);
    let free = wanted;
    for (let number = 2; isTaken(free); number += 1) free = `${wanted}_${number}`;
    return free;
  }
}

function variableName(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
  return (
    words
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^[_\d]+|_+$/g, '')
      .slice(0, 60) || 'SECRET'
  );
}

function holdsOneOf(secrets: ReadonlyMap<string, string>, text: string): boolean {
  return [...secrets.keys()].some((secret) => text.includes(secret));
}

function longest(texts: readonly string[]): string | undefined {
  return texts.reduce<string | undefined>((best, each) => (each.length > (best?.length ?? 0) ? each : best), undefined);
}
