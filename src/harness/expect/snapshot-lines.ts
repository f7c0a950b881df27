import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { isList } from './json.js';

/** An object with this key alone is a text of several lines; one of the answer itself gets another $. */
const key = '$lines';
const ownForm = /^\$+lines$/;

/** Texts of several lines as lists of their lines, so that a diff of the file shows the lines that changed. */
export function linesSplit(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.includes('\n') ? { [key]: value.split('\n') } : value;
  if (isList(value)) return value.map(linesSplit);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only && ownForm.test(only[0])) return { [`$${only[0]}`]: linesSplit(only[1]) };
  return Object.fromEntries(entries.map(([name, each]) => [name, linesSplit(each)]));
}

export function linesJoined(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(linesJoined);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only && ownForm.test(only[0])) {
    const [name, content] = only;
    if (name === key && isList(content)) return content.map(String).join('\n');
    return { [name.replace('$', '')]: linesJoined(content) };
  }
  return Object.fromEntries(entries.map(([name, each]) => [name, linesJoined(each)]));
}
