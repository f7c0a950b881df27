import { parse, TomlError, type TomlTable } from 'smol-toml';
import { about, type ConfigText, mistakeAt, type Path } from './place.js';
import { sectionsOf, type TomlSection } from './toml-sections.js';

export type ParsedToml =
  | { readonly isToml: true; readonly table: TomlTable }
  | { readonly isToml: false; readonly offset: number; readonly reason: string };

/** Reads TOML. A place is that of the section, and of the line in it where one begins with the name. */
export function readToml(text: string, file: string): ConfigText {
  const parsed = parseToml(text);
  if (!parsed.isToml) throw mistakeAt(file, text, parsed.offset, parsed.reason);
  let sections: readonly TomlSection[] | undefined;
  return {
    value: parsed.table,
    wrong(path, reason) {
      sections ??= sectionsOf(text);
      return mistakeAt(file, text, offsetOf(text, sections, path), about(path, reason));
    },
  };
}

export function parseToml(text: string): ParsedToml {
  try {
    return { isToml: true, table: parse(text) };
  } catch (error) {
    if (error instanceof RangeError) return { isToml: false, offset: 0, reason: 'it is nested too deeply' };
    if (!(error instanceof TomlError)) throw error;
    const before = text.split('\n').slice(0, error.line).join('\n');
    const reason = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? 'not TOML';
    return { isToml: false, offset: before.lastIndexOf('\n') + error.column, reason };
  }
}

function offsetOf(text: string, sections: readonly TomlSection[], path: Path): number {
  const names = path.map(String);
  const around = sections
    .filter((section) => section.path.every((name, index) => name === names[index]))
    .reduce<Around>((one, other) => (other.path.length >= one.path.length ? other : one), { path: [], start: 0 });
  const name = names[around.path.length];
  if (name === undefined) return around.start;
  const line = lineWith(name, text.slice(around.start, around.end));
  return around.start + (line ?? 0);
}

interface Around {
  readonly path: readonly string[];
  readonly start: number;
  readonly end?: number;
}

function lineWith(name: string, section: string): number | undefined {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const found = new RegExp(`^[ \\t]*(?=(["']?)${escaped}\\1[ \\t]*[.=])`, 'm').exec(section);
  return found ? found.index + found[0].length : undefined;
}
