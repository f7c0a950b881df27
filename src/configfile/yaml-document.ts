import { type Document, isAlias, isMap, isSeq, type Pair, parseDocument } from 'yaml';
import type { CallerError } from '../errors.js';
import { about, mistakeAt, type Path, type PlacedText, placesOf, type TextCode } from './place.js';
import { syntaxMistake } from './yaml-mistakes.js';
import { isMerge, nameOfKey, nodeOffset, type Targets, yamlValue } from './yaml-value.js';

export interface ReadYamlOptions {
  /** What to do about a name that stands in an object for the second time. Not given: the error is thrown. */
  readonly onRepeated?: (path: Path, error: CallerError) => void;
  readonly code?: TextCode;
}

/** Reads YAML 1.2 with merge keys. Only what JSON can say comes out of it, with the place of everything. */
export function readYamlDocument(given: string, file: string, options: ReadYamlOptions = {}): PlacedText {
  const text = given.replace(/^\uFEFF/, '');
  const { onRepeated = refuse, code } = options;
  const at = (offset: number, reason: string) => mistakeAt(file, text, offset, reason, code);
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw at(0, 'it is nested too deeply');
    throw error;
  }

  function read(): PlacedText {
    const document = parseDocument(text, parseOptions);
    const mistake = syntaxMistake(document, text);
    if (mistake) throw at(mistake.offset, mistake.reason);
    const root = document.contents;
    if (!isMap(root)) throw at(nodeOffset(root), isEmpty(document) ? 'it is empty' : 'expected keys with values');
    const { value, targets } = yamlValue(root, text, { at, onRepeated });
    let places: ReturnType<typeof placesOf> | undefined;
    return {
      value,
      wrong: (path, reason) => at(offsetOf(root, path, targets), about(path, reason)),
      placeOf(path) {
        places ??= placesOf(text);
        return places(offsetOf(root, path, targets));
      },
    };
  }
}

/** Repeated keys are found by the walk, which knows their paths and compares as JSON does: `1` and `"1"` are one. */
const parseOptions = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

function isEmpty({ contents }: Document): boolean {
  return contents === null || nodeOffset(contents) === contents?.range?.[1];
}

function refuse(_path: Path, error: CallerError): never {
  throw error;
}

/** Where the value is, or its name; of what is not there, where it should be. */
function offsetOf(root: unknown, path: Path, targets: Targets): number {
  let node: unknown = root;
  let offset = nodeOffset(root);
  for (const step of path) {
    const next = stepInto(node, step, targets);
    if (next === undefined) break;
    ({ node, offset } = next);
  }
  return offset;
}

interface Step {
  readonly node: unknown;
  readonly offset: number;
}

function stepInto(given: unknown, step: string | number, targets: Targets): Step | undefined {
  const node = isAlias(given) ? targets.get(given) : given;
  if (isSeq(node)) {
    const item = typeof step === 'number' ? node.items[step] : undefined;
    return item === undefined ? undefined : { node: item, offset: nodeOffset(item) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((each) => !isMerge(each) && nameOfKey(each.key, targets) === String(step));
  if (pair) return { node: pair.value, offset: nodeOffset(pair.key) };
  return node.items
    .filter(isMerge)
    .map((merge) => stepIntoMerged(merge, step, targets))
    .find(Boolean);
}

function stepIntoMerged({ value: given }: Pair, step: string | number, targets: Targets): Step | undefined {
  const value = isAlias(given) ? targets.get(given) : given;
  const sources = isSeq(value) ? value.items : [value];
  return sources.map((source) => stepInto(source, step, targets)).find(Boolean);
}
