import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { isList } from '../expect/json.js';

/** JSON in the words of a suite. */
export type Written = null | boolean | number | string | Written[] | { [key: string]: Written };

/** A value as a suite has to write it so that it is read as itself: `${` and `{{` in its texts stand for nothing else. */
export function literal(value: JsonValue): Written {
  if (typeof value === 'string') return literalText(value);
  if (isList(value)) return value.map(literal);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, literal(each)]));
}

export function literalText(text: string): string {
  return withoutVariables(text.replaceAll('{{', () => '\\{{'));
}

/** For texts in which braces stand for themselves. */
export function withoutVariables(text: string): string {
  return text.replaceAll('${', () => '$${');
}
