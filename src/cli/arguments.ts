import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { CallerError } from '../errors.js';
import type { JsonObject, JsonValue } from '../toolbox.js';

const jsonObject = z.record(z.string(), z.json());

/** The arguments of a call, from words such as `name=value` and from one JSON object; words win. */
export async function parseArguments(words: readonly string[], json?: string): Promise<JsonObject> {
  const fromWords = new Map<string, JsonValue>();
  for (const word of words) {
    const [name, value] = await parseWord(word);
    if (fromWords.has(name)) throw wrong(`Argument ${name} is given twice`, name);
    fromWords.set(name, value);
  }
  return { ...(json === undefined ? {} : await parseObject(json)), ...Object.fromEntries(fromWords) };
}

async function parseWord(word: string): Promise<readonly [name: string, value: JsonValue]> {
  const equals = word.indexOf('=');
  const forced = word[equals - 1] === ':';
  const name = word.slice(0, forced ? equals - 1 : equals);
  if (equals < 0 || name === '') throw wrong(`"${word}" is not of the form name=value`, word);
  const text = await textOrFile(word.slice(equals + 1), name);
  if (forced) return [name, parseJson(text, `Argument ${name}`, name)];
  return [name, word[equals + 1] === '@' ? text : jsonOrText(text)];
}

async function parseObject(json: string): Promise<JsonObject> {
  const parsed = jsonObject.safeParse(parseJson(await textOrFile(json, '--args'), '--args', '--args'));
  if (!parsed.success) throw wrong('--args is not a JSON object', '--args');
  return parsed.data;
}

async function textOrFile(text: string, name: string): Promise<string> {
  if (!text.startsWith('@')) return text;
  try {
    return await readFile(text.slice(1), 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CallerError('INVALID_ARGUMENTS', `Argument ${name}: ${reason}`, { argument: name }, { cause });
  }
}

function parseJson(text: string, subject: string, argument: string): JsonValue {
  try {
    return z.json().parse(JSON.parse(text));
  } catch {
    throw wrong(`${subject} is not JSON: ${text.slice(0, 80)}`, argument);
  }
}

/** A number that JavaScript would round stays text, which Python reads exactly. */
function jsonOrText(text: string): JsonValue {
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return text;
  try {
    return z.json().parse(JSON.parse(text));
  } catch {
    return text;
  }
}

function wrong(message: string, argument: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', message, { argument });
}
