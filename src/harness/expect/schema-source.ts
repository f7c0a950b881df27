import { isJsonObject, type JsonSchema, type JsonValue } from '../../toolbox.js';
import type { Expect } from '../suite/schema-expect.js';
import { type Readable, remembered } from './remembered.js';
import { cut } from './shown.js';

/** The schema that a case names: its own, or the one of a file whose text was read with the suite. */
export async function schemaOf(
  given: NonNullable<Expect['schema']>,
  texts: ReadonlyMap<string, string>,
): Promise<Readable<JsonSchema | boolean>> {
  if (typeof given !== 'string') return { value: given };
  const text = texts.get(given);
  if (text === undefined) return { problem: `The file ${cut(given)} of the schema was not read with the suite.` };
  const read = /\.ya?ml$/i.test(given) ? await parsedYaml(text) : parsedJson(text);
  return 'problem' in read ? { problem: `The schema in ${cut(given)} cannot be read: ${read.problem}.` } : read;
}

const parsedJson = remembered(100, (text) => parsed(text, JSON.parse));

const fromYaml = new Map<string, Readable<JsonSchema | boolean>>();

async function parsedYaml(text: string): Promise<Readable<JsonSchema | boolean>> {
  const { parse } = await import('yaml');
  const known = fromYaml.get(text) ?? parsed(text, (source) => parse(source));
  if (fromYaml.size >= 100) fromYaml.clear();
  fromYaml.set(text, known);
  return known;
}

function parsed(text: string, parse: (text: string) => JsonValue): Readable<JsonSchema | boolean> {
  try {
    const value = parse(text);
    if (isJsonObject(value) || typeof value === 'boolean') return { value };
    return { problem: 'it is neither an object nor true or false' };
  } catch (error) {
    return { problem: cut(error instanceof Error ? error.message : String(error)) };
  }
}
