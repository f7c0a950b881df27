import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { CallerError } from '../errors.js';
import { about, mistakeAt, type Path, type PlacedText, placesOf, shownName, type TextCode } from './place.js';

export interface ReadJsonOptions {
  /** What to do about a name that stands in an object for the second time. Not given: the error is thrown. */
  readonly onRepeated?: (path: Path, error: CallerError) => void;
  readonly code?: TextCode;
}

/** Reads JSON with comments. What it says twice is refused: one of the two would be lost. */
export function readJson(text: string, file: string, options: ReadJsonOptions = {}): PlacedText {
  const { onRepeated = refuse, code } = options;
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw at(0, 'it is nested too deeply');
    throw error;
  }

  function read(): PlacedText {
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (error) throw at(error.offset, spaced(printParseErrorCode(error.error)));
    if (root?.type !== 'object') throw at(root?.offset ?? 0, 'expected an object: { … }');
    findRepeated(root, [], (path, { offset, value }) => {
      onRepeated(path, at(offset, `"${shownName(String(value))}" stands here twice`));
    });
    let places: ReturnType<typeof placesOf> | undefined;
    return {
      value: valueIn(root),
      wrong: (path, reason) => at(offsetOf(root, path), about(path, reason)),
      placeOf(path) {
        places ??= placesOf(text);
        return places(offsetOf(root, path));
      },
    };
  }

  /** With keys of every name, `__proto__` too, as what they are. */
  function valueIn(node: Node): unknown {
    const { type, children = [] } = node;
    if (type === 'array') return children.map(valueIn);
    if (type === 'object') {
      const entries = children.flatMap(({ children: [name, value] = [] }) => (name && value ? [[name, value]] : []));
      return Object.fromEntries(entries.map(([name, value]) => [String(name?.value), value && valueIn(value)]));
    }
    if (code === 'INVALID_SUITE' && isInexact(node)) {
      throw at(node.offset, 'the number has too many digits to be kept exactly; put it in quotes if it is a text');
    }
    return node.value;
  }

  function isInexact({ type, value, offset, length }: Node): boolean {
    if (type !== 'number' || Number.isSafeInteger(value)) return false;
    const source = text.slice(offset, offset + length);
    return /^-?\d+$/.test(source) && String(value) !== source;
  }

  function at(offset: number, reason: string): CallerError {
    return mistakeAt(file, text, offset, reason, code);
  }
}

function refuse(_path: Path, error: CallerError): never {
  throw error;
}

/** Where the value is, or its name; of what is not there, where it should be. */
function offsetOf(root: Node, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const found = findNodeAtLocation(root, path.slice(0, length));
    if (found) return found.parent?.type === 'property' ? found.parent.offset : found.offset;
  }
  return root.offset;
}

function findRepeated(node: Node, path: Path, onFound: (path: Path, name: Node) => void): void {
  const seen = new Set<unknown>();
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type !== 'object') {
      findRepeated(child, [...path, index], onFound);
      continue;
    }
    const [name, value] = child.children ?? [];
    if (name === undefined) continue;
    const below = [...path, String(name.value)];
    if (seen.has(name.value)) onFound(below, name);
    seen.add(name.value);
    if (value) findRepeated(value, below, onFound);
  }
}

function spaced(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}
