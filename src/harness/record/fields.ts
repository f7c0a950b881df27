import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { isList } from '../expect/json.js';
import { pathText, type Step } from '../expect/path-text.js';
import type { ExpectationInput } from './observed.js';
import type { IsPassing } from './passing.js';

type Fields = NonNullable<ExpectationInput['data']>;

const mostFields = 8;
const deepest = 4;
const longestText = 200;
/** Others can be said in a JSONPath too, but are read by nobody. */
const sayable = /^[\p{L}\p{N}_ .:/@-]{1,100}$/u;

/** Of data that came once or several times, fields that were the same each time; of others their type alone. */
export function fieldsOf(data: readonly JsonValue[], isPassing: IsPassing): Fields | undefined {
  const fields: Record<string, Fields[string]> = {};
  visit([], data);
  return Object.keys(fields).length > 0 ? fields : undefined;

  function visit(path: readonly Step[], found: readonly JsonValue[]): void {
    if (Object.keys(fields).length >= mostFields) return;
    const [first = null] = found;
    if (isJsonObject(first) && path.length < deepest) {
      for (const [key, value] of Object.entries(first)) {
        const others = found
          .slice(1)
          .map((each) => (isJsonObject(each) && Object.hasOwn(each, key) ? each[key] : undefined));
        const isEverywhere = others.every((other): other is JsonValue => other !== undefined);
        if (isEverywhere && sayable.test(key)) visit([...path, key], [value, ...others]);
      }
    } else if (path.length > 0 || isList(first)) {
      const field = fieldOf(found, isPassing);
      if (field !== undefined) fields[pathText(path)] = field;
    }
  }
}

function fieldOf(found: readonly JsonValue[], isPassing: IsPassing): Fields[string] | undefined {
  const [first = null] = found;
  const type = typeOf(first);
  if (found.some((each) => typeOf(each) !== type)) return undefined;
  if (isList(first)) {
    const isAsLong = found.every((each) => isList(each) && each.length === first.length);
    return isAsLong ? { type: 'array', length: first.length } : { type: 'array' };
  }
  if (isJsonObject(first)) return { type: 'object' };
  const isStable = found.every((each) => each === first) && !isPassing(String(first));
  const isShort = typeof first !== 'string' || first.length <= longestText;
  return isStable && isShort ? first : { type };
}

function typeOf(value: JsonValue): 'null' | 'array' | 'object' | 'string' | 'number' | 'boolean' {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}
