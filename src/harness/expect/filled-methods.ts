import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { kindOf } from '../suite/kinds.js';
import { UnknownValue } from '../suite/values.js';
import { isList } from './json.js';

/** Looks at methods of questions and notifications once values are filled in. Throws an UnknownValue where one is none. */
export function checkMethods(filled: JsonValue): void {
  if (!isJsonObject(filled)) return;
  for (const key of ['asks', 'notifications'] as const) {
    const list = filled[key];
    if (!isList(list)) continue;
    for (const [index, each] of list.entries()) checkMethod(each, `expect.${key}.${index}`);
  }
}

function checkMethod(expected: JsonValue, where: string): void {
  const method = isJsonObject(expected) ? expected.method : expected;
  if (typeof method === 'string' && method !== '') return;
  const found = method === undefined ? 'an object without one' : method === '' ? 'an empty text' : kindOf(method);
  throw new UnknownValue(
    '',
    `${where} is no method with its values in it: expected a text such as roots/list, found ${found}`,
  );
}
