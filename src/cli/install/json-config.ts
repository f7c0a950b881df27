import { isDeepStrictEqual } from 'node:util';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { cannotEdit, malformed } from './config-error.js';
import type { Entry } from './entry.js';
import { removeFrom, setIn } from './json-edit.js';

export interface Change {
  readonly file: string;
  readonly text: string;
  /** The key that holds all servers. */
  readonly key: string;
  readonly name: string;
}

/** The text with the entry in it, or without it where none is given; comments and the rest stay as they are. */
export function changeJson({ file, text, key, name }: Change, entry: object | undefined): string {
  const before = readJson(text, file);
  const servers = before[key];
  if (servers !== undefined && !isObject(servers)) throw malformed(file, `"${key}" is not an object`);
  if (isDeepStrictEqual(servers?.[name], entry)) return text;
  const changed =
    entry === undefined ? removeFrom(text, [key, name]) : withLastLineEnd(setIn(text, [key, name], entry), text);
  const expected = { ...before, [key]: { ...servers, [name]: entry } };
  if (!isDeepStrictEqual(withoutUndefined(readJson(changed, file)), withoutUndefined(expected))) {
    throw cannotEdit(file, `"${key}" or "${name}" stands in it twice`);
  }
  return changed;
}

export function entryAsJson({ command, args, env }: Entry, typed: boolean): object {
  return { ...(typed && { type: 'stdio' }), command, args: [...args], ...(env && { env: { ...env } }) };
}

type Fields = { readonly [key: string]: unknown };

function readJson(text: string, file: string): Fields {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw malformed(file, spaced(printParseErrorCode(error.error)), text.slice(0, error.offset));
  if (!isObject(value)) throw malformed(file, 'its outermost value is not an object');
  return value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withLastLineEnd(changed: string, before: string): string {
  return before.trim() === '' ? `${changed}\n` : changed;
}

/** `{"a": {}}` and `{"a": {"b": undefined}}` say the same. */
function withoutUndefined(value: Fields): unknown {
  return JSON.parse(JSON.stringify(value));
}

function spaced(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}
