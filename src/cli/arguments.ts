import { readFile } from 'node:fs/promises';
import { CallerError } from '../errors.js';
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../toolbox.js';
import { wantsText } from './wants-text.js';

/**
 * The arguments of a call, from words such as `name=value` and from one JSON object; words win. A word that a parameter
 * takes as text alone is text, whatever it looks like.
 */
export async function parseArguments(
  words: readonly string[],
  json?: string,
  inputSchema?: JsonSchema,
): Promise<JsonObject> {
  const fromWords = new Map<string, JsonValue>();
  for (const word of words) {
    const [name, value] = await parseWord(word, inputSchema);
    if (fromWords.has(name)) throw wrong(`Argument ${name} is given twice`, name);
    fromWords.set(name, value);
  }
  return { ...(json === undefined ? {} : await parseObject(json, '--args')), ...Object.fromEntries(fromWords) };
}

async function parseWord(word: string, inputSchema?: JsonSchema): Promise<readonly [name: string, value: JsonValue]> {
  const equals = word.indexOf('=');
  const forced = word[equals - 1] === ':';
  const name = word.slice(0, forced ? equals - 1 : equals);
  if (equals < 0 || name === '') throw wrong(`"${word}" is not of the form name=value`, word);
  const text = await textOrFile(word.slice(equals + 1), name);
  if (forced) return [name, parseJson(text, `Argument ${name}`, name)];
  if (word[equals + 1] === '@') return [name, text];
  const read = readJson(text);
  if (inputSchema && read !== undefined && wantsText(inputSchema, name, read)) return [name, text];
  return [name, jsonOrText(text, name)];
}

/** The JSON object that a flag gives, or the file that it names. */
export async function parseObject(json: string, flag: string): Promise<JsonObject> {
  const parsed = await parseJsonFlag(json, flag);
  if (!isJsonObject(parsed)) throw wrong(`${flag} is not a JSON object`, flag);
  return parsed;
}

export async function parseJsonFlag(json: string, flag: string): Promise<JsonValue> {
  return parseJson(await textOrFile(json, flag), flag, flag);
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
  const value = readJson(text);
  if (value === undefined) throw wrong(`${subject} is not JSON: ${text.slice(0, 80)}`, argument);
  const rounded = roundedNumber(text);
  if (rounded !== undefined) throw wrong(`${subject}: ${rounded} would be rounded; write it in quotes`, argument);
  return value;
}

/** A number that JavaScript would round stays text, which Python reads exactly. */
function jsonOrText(text: string, name: string): JsonValue {
  if (roundedNumber(text) === text || readJson(text) === undefined) return text;
  return parseJson(text, `Argument ${name}`, name);
}

function readJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The first whole number in a JSON text that JavaScript cannot hold, or any that is beyond its range. */
function roundedNumber(text: string): string | undefined {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.find((number) => {
    const isWhole = /^-?\d+$/.test(number);
    return isWhole ? !Number.isSafeInteger(Number(number)) : !Number.isFinite(Number(number));
  });
}

function wrong(message: string, argument: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', message, { argument });
}
