import { validateHeaderName, validateHeaderValue } from 'node:http';
import { variableIn } from '../../configfile/expand.js';
import type { UrlTarget } from '../target.js';
import type { Fields } from './fields.js';
import type { KnownValues } from './references.js';

/** How configs name an address. */
export const addressNames = ['url', 'serverUrl', 'baseUrl', 'httpUrl'] as const;

export function urlTarget(fields: Fields, known: KnownValues): UrlTarget {
  const name = addressNames.find((each) => fields.raw(each) !== undefined) ?? 'url';
  const url = (fields.text(name) ?? '').trim();
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw fields.wrong([name], 'expected an address that begins with http:// or https://');
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw fields.wrong([name], 'an address holds no credentials: give them in headers, as Authorization');
  }
  const headers = headersOf(fields, known);
  return { kind: 'url', url, ...(Object.keys(headers).length > 0 && { headers }) };
}

function headersOf(fields: Fields, known: KnownValues): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const field of ['headers', 'http_headers']) {
    for (const [name, value] of Object.entries(fields.record(field) ?? {})) {
      checkHeader(name, value, [field, name], fields);
      headers[name] = value;
    }
  }
  for (const [name, variable] of Object.entries(fields.record('env_http_headers') ?? {})) {
    const path = ['env_http_headers', name];
    const value = variableOf(variable, path, fields, known);
    checkHeader(name, value, path, fields);
    headers[name] = value;
  }
  const tokenVariable = fields.text('bearer_token_env_var');
  const hasAuthorization = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if (tokenVariable === undefined || hasAuthorization) return headers;
  const path = ['bearer_token_env_var'];
  const value = `Bearer ${variableOf(tokenVariable, path, fields, known)}`;
  checkHeader('Authorization', value, path, fields);
  return { ...headers, Authorization: value };
}

function variableOf(name: string, path: readonly string[], fields: Fields, { environment }: KnownValues): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw fields.wrong(path, 'expected the name of a variable');
  const value = variableIn(environment, name);
  if (value === undefined || value === '') throw fields.wrong(path, `the variable ${name} is not set; set it`);
  return value;
}

function checkHeader(name: string, value: string, path: readonly string[], fields: Fields): void {
  try {
    validateHeaderName(name);
  } catch {
    throw fields.wrong(path, 'this is no name of a header');
  }
  try {
    validateHeaderValue(name, value);
  } catch {
    throw fields.wrong(path, 'its value has a character that no header may have, such as a line end');
  }
}
