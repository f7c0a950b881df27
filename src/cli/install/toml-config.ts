import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, type TomlTable } from 'smol-toml';
import { parseToml } from '../../configfile/toml.js';
import { sectionsOf } from '../../configfile/toml-sections.js';
import { cannotEdit, malformed } from './config-error.js';
import type { Entry } from './entry.js';
import type { Change } from './json-config.js';

/** The text with the section of the entry in it, or without it where none is given; the rest stays byte for byte. */
export function changeToml({ file, text, key, name }: Change, entry: Entry | undefined): string {
  const before = readToml(text, file);
  const servers = before[key] ?? {};
  if (!isTable(servers)) throw malformed(file, `${key} is not a table`);
  const wanted = entry && asTable(entry);
  if (isDeepStrictEqual(plain(servers[name]), wanted)) return text;
  const changed = changeSection(text, [key, name], wanted);
  const { [name]: _, ...others } = servers;
  const expected = { ...before, [key]: { ...others, ...(wanted && { [name]: wanted }) } };
  if (!isSame(changed, expected, key)) {
    throw cannotEdit(file, `${key} is written in it in a form that is not a section of its own`);
  }
  return changed;
}

function changeSection(text: string, path: readonly string[], table: object | undefined): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const ours = sectionsOf(text).filter((section) => path.every((part, index) => section.path[index] === part));
  const section = table && stringify(nest(path, table)).trim().replaceAll('\n', eol) + eol;
  const [first] = ours;
  if (first === undefined) {
    if (section === undefined) return text;
    return text + separation(text, eol) + section;
  }
  let changed = text;
  for (const { start, end } of [...ours].reverse()) changed = changed.slice(0, start) + changed.slice(end);
  if (section !== undefined) return changed.slice(0, first.start) + section + changed.slice(first.start);
  // A section that goes takes the empty lines after it along, or before it where it was the last.
  const before = changed.slice(0, first.start);
  const after = changed.slice(first.start).replace(/^(?:[ \t]*\r?\n)+/, '');
  return after === '' && before.trim() !== '' ? before.trimEnd() + eol : before + after;
}

/** One empty line between what is there and what is added. */
function separation(text: string, eol: string): string {
  if (text === '' || /\n\r?\n$/.test(text)) return '';
  return text.endsWith('\n') ? eol : eol + eol;
}

function readToml(text: string, file: string): TomlTable {
  const parsed = parseToml(text);
  if (parsed.isToml) return parsed.table;
  throw malformed(file, parsed.reason, text.slice(0, parsed.offset));
}

function isSame(text: string, expected: object, key: string): boolean {
  try {
    const { [key]: servers = {}, ...others }: TomlTable = parse(text);
    return isDeepStrictEqual(plain({ ...others, [key]: servers }), plain(expected));
  } catch {
    return false;
  }
}

function asTable({ command, args, env }: Entry): object {
  return { command, args: [...args], ...(env && { env: { ...env } }) };
}

function nest(path: readonly string[], table: object): object {
  return path.reduceRight<object>((inner, part) => ({ [part]: inner }), table);
}

/** Without the prototypes that the parser gives or leaves out. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : structuredClone(value);
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
