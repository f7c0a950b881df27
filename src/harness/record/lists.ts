import { isJsonObject, type JsonObject } from '../../toolbox.js';
import { isList } from '../expect/json.js';
import type { ExpectationInput } from './observed.js';
import type { CaseInput } from './writer.js';

const kinds = {
  tools: { items: 'tools', key: 'name', most: 50 },
  resources: { items: 'resources', key: 'uri', most: 5 },
  templates: { items: 'resourceTemplates', key: 'uriTemplate', most: 5 },
  prompts: { items: 'prompts', key: 'name', most: 20 },
} as const;

const sayable = /^[\p{L}\p{N}_ .,:;/@?=&%+~#-]{1,200}$/u;

/** That what a server listed is listed. */
export function listExpectation(
  list: NonNullable<CaseInput['list']>,
  result: JsonObject,
): ExpectationInput | undefined {
  const { items, key, most } = kinds[list];
  const found = isList(result[items]) ? result[items] : [];
  const names = found.flatMap((item) => {
    const name = isJsonObject(item) ? item[key] : undefined;
    return typeof name === 'string' && sayable.test(name) ? [name] : [];
  });
  const paths = [...new Set(names)].slice(0, most).map((name) => `$.${items}[?@.${key}=='${name}']`);
  if (paths.length === 0) return undefined;
  return { fields: Object.fromEntries(paths.map((path) => [path, { exists: true }])) };
}
