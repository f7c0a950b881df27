import { applyEdits, findNodeAtLocation, modify, type Node, parseTree } from 'jsonc-parser';

/** Sets a value in an object of objects; not a byte changes of what stands around it. */
export function setIn(text: string, [outer, inner]: readonly [string, string], value: object): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return setIn('{}', [outer, inner], value);
  const format = formatOf(text);
  const parent = findNodeAtLocation(root, [outer]);
  if (parent === undefined) return insert(text, root, outer, { [inner]: value }, { ...format, depth: 1 });
  const old = findNodeAtLocation(parent, [inner]);
  if (old === undefined) return insert(text, parent, inner, value, { ...format, depth: 2 });
  const isOneLine = !text.slice(old.offset, old.offset + old.length).includes('\n');
  const written = isOneLine ? JSON.stringify(value) : render(value, indentAt(text, old.parent ?? old), format);
  return text.slice(0, old.offset) + written + text.slice(old.offset + old.length);
}

export function removeFrom(text: string, path: readonly [string, string]): string {
  const removed = applyEdits(text, modify(text, [...path], undefined, {}));
  const root = parseTree(removed, [], { allowTrailingComma: true });
  const parent = root && findNodeAtLocation(root, [path[0]]);
  if (parent === undefined) return removed;
  const [start, end] = [parent.offset + 1, parent.offset + parent.length - 1];
  return removed.slice(start, end).trim() === '' ? removed.slice(0, start) + removed.slice(end) : removed;
}

interface Format {
  readonly unit: string;
  readonly eol: string;
}

/** After the last property, and after what is said about that on its line. */
function insert(text: string, parent: Node, name: string, value: object, format: Format & { depth: number }): string {
  const end = parent.offset + parent.length - 1;
  const last = parent.children?.at(-1);
  const isOneLine = !text.slice(parent.offset, end).includes('\n');
  if (last === undefined) return fill(text, parent, name, value, format);
  const lastEnd = last.offset + last.length;
  const [, comma = '', comment = ''] =
    /^([ \t]*,)?([ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/))?/.exec(text.slice(lastEnd, end)) ?? [];
  const before = text.slice(0, lastEnd) + (comma || ',') + comment;
  const after = (comma && ',') + text.slice(lastEnd + comma.length + comment.length);
  if (isOneLine) return `${before} ${JSON.stringify(name)}: ${JSON.stringify(value)}${after}`;
  const indent = indentAt(text, last);
  return `${before}${format.eol}${indent}${JSON.stringify(name)}: ${render(value, indent, format)}${after}`;
}

/** An object with nothing in it but space or comments. */
function fill(
  text: string,
  parent: Node,
  name: string,
  value: object,
  { unit, eol, depth }: Format & { depth: number },
): string {
  const end = parent.offset + parent.length - 1;
  const indent = unit.repeat(depth);
  const said = text.slice(parent.offset + 1, end).trimEnd();
  const property = `${indent}${JSON.stringify(name)}: ${render(value, indent, { unit, eol })}`;
  return `${text.slice(0, parent.offset + 1)}${said}${eol}${property}${eol}${unit.repeat(depth - 1)}${text.slice(end)}`;
}

function render(value: object, indent: string, { unit, eol }: Format): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

/** The space before a property where it begins its line. */
function indentAt(text: string, { offset }: Node): string {
  return /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, offset))?.[1] ?? '';
}

/** As the file is written already. */
function formatOf(text: string): Format {
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return { unit: unit.startsWith('\t') ? '\t' : unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
