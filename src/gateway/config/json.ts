import * as jsonc from 'jsonc-parser';
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { CallerError } from '../../errors.js';

export type Path = readonly (string | number)[];

/** What a file of JSON says, and where it says it. */
export interface JsonText {
  readonly value: unknown;
  /** The error for what stands at a path, or for the name of it. */
  wrong(path: Path, reason: string): CallerError;
}

/** Reads JSON with comments. What it says twice is refused: one of the two would be lost. */
export function readJson(text: string, file: string): JsonText {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw at(error.offset, spaced(printParseErrorCode(error.error)));
  if (root?.type !== 'object') throw at(root?.offset ?? 0, 'expected an object: { … }');
  const repeated = findRepeated(root);
  if (repeated) throw at(repeated.offset, `${JSON.stringify(repeated.value)} stands here twice`);
  return {
    value: jsonc.getNodeValue(root),
    wrong(path, reason) {
      return at(offsetOf(root, path), path.length === 0 ? reason : `${path.join('.')}: ${reason}`);
    },
  };

  function at(offset: number, reason: string): CallerError {
    const lines = text.slice(0, offset).split('\n');
    const [line, column] = [lines.length, (lines.at(-1)?.length ?? 0) + 1];
    const message = `${file}, line ${line}, column ${column}: ${reason}`;
    return new CallerError('INVALID_CONFIG', message, { argument: '--config', file, line, column });
  }
}

/** Where the value is, or its name; of what is not there, where it should be. */
function offsetOf(root: Node, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const found = findNodeAtLocation(root, path.slice(0, length));
    if (found) return found.parent?.type === 'property' ? found.parent.offset : found.offset;
  }
  return root.offset;
}

function findRepeated(node: Node): Node | undefined {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const name = node.type === 'object' ? child.children?.[0] : undefined;
    if (name && seen.has(name.value)) return name;
    if (name) seen.add(name.value);
    const below = findRepeated(child);
    if (below) return below;
  }
  return undefined;
}

function spaced(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}
