import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { CallerError } from '../errors.js';
import { type Path, shownName } from './place.js';
import { quoteBraces } from './yaml-mistakes.js';

/** What each alias stands for. */
export type Targets = ReadonlyMap<Alias, unknown>;

export interface OnMistake {
  at(offset: number, reason: string): CallerError;
  onRepeated(path: Path, error: CallerError): void;
}

/** Aliases make much of little: what they stand for is counted each time. The rest is bounded by the text. */
const maxCopies = 100_000;
const maxDepth = 200;

/** The value of a node, of what JSON can say alone; anything else is thrown with its place. */
export function yamlValue(
  root: unknown,
  text: string,
  { at, onRepeated }: OnMistake,
): { readonly value: unknown; readonly targets: Targets } {
  const anchors = new Map<string, unknown>();
  const targets = new Map<Alias, unknown>();
  const open = new Set<unknown>();
  let copies = 0;
  return { value: convert(root, [], false), targets };

  /** A copy is what an alias stands for, and is not read for anchors again. */
  function convert(node: unknown, path: Path, isCopy: boolean): unknown {
    if (isCopy) copies += 1;
    if (copies > maxCopies) throw at(nodeOffset(node), `the aliases stand for more than ${maxCopies} values`);
    if (path.length > maxDepth) throw at(nodeOffset(node), 'it is nested too deeply');
    if (!isCopy && hasAnchor(node)) anchors.set(node.anchor, node);
    if (isAlias(node)) return convert(targetOf(node), path, true);
    if (isScalar(node)) return scalarOf(node);
    if (!isSeq(node) && !isMap(node)) return null;
    open.add(node);
    const value = isSeq(node)
      ? node.items.map((item, index) => convert(item, [...path, index], isCopy))
      : objectOf(node, path, isCopy);
    open.delete(node);
    return value;
  }

  function targetOf(alias: Alias): unknown {
    const target = targets.get(alias) ?? anchors.get(alias.source);
    if (target === undefined) throw at(nodeOffset(alias), `nothing above is named &${shownName(alias.source)}`);
    if (open.has(target)) throw at(nodeOffset(alias), `*${shownName(alias.source)} stands within itself`);
    targets.set(alias, target);
    return target;
  }

  function objectOf(node: YAMLMap, path: Path, isCopy: boolean): object {
    const entries = new Map<string, unknown>();
    const merged: (readonly [string, unknown])[] = [];
    for (const pair of node.items) {
      if (isMerge(pair)) merged.push(...mergedEntries(pair, path, isCopy));
      else addEntry(pair);
    }
    for (const [name, value] of merged) if (!entries.has(name)) entries.set(name, value);
    return Object.fromEntries(entries);

    function addEntry({ key, value }: Pair): void {
      const name = keyOf(key);
      const below = [...path, name];
      if (entries.has(name) && !isCopy) {
        onRepeated(below, at(nodeOffset(key), `"${shownName(name)}" stands here twice`));
      }
      entries.set(name, convert(value, below, isCopy));
    }
  }

  /** Of several objects the first that has a name gives its value. */
  function mergedEntries({ key, value }: Pair, path: Path, isCopy: boolean): readonly (readonly [string, unknown])[] {
    const given = convert(value, [...path, mergeKey], isCopy);
    const sources = Array.isArray(given) ? given : [given];
    return sources.flatMap((source) => {
      if (typeof source === 'object' && source !== null && !Array.isArray(source)) return Object.entries(source);
      throw at(nodeOffset(key), `${mergeKey} takes an object, or a list of objects, to add`);
    });
  }

  function keyOf(key: unknown): string {
    if (isAlias(key)) targetOf(key);
    const name = nameOfKey(key, targets);
    if (name !== undefined) return name;
    const offset = nodeOffset(key);
    if (text.startsWith('{{', offset - 1)) throw at(offset - 1, quoteBraces);
    throw at(offset, 'a key is a text; found something else in its place');
  }

  function scalarOf(node: Scalar): unknown {
    const { value, source = '' } = node;
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw at(nodeOffset(node), 'found something that JSON has no form for; put it in quotes if it is a text');
    }
    if (!Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source) && String(value) !== source) {
      throw at(nodeOffset(node), 'the number has too many digits to be kept exactly; put it in quotes if it is a text');
    }
    return value;
  }
}

const mergeKey = '<<';

export function isMerge({ key }: Pair): boolean {
  return isScalar(key) && key.value === mergeKey && key.type === 'PLAIN';
}

/** The text that a key is; digits are as good as text. */
export function nameOfKey(given: unknown, targets: Targets): string | undefined {
  const key = isAlias(given) ? targets.get(given) : given;
  if (!isScalar(key) || key.value === null) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

function hasAnchor(node: unknown): node is { readonly anchor: string } {
  return typeof node === 'object' && node !== null && 'anchor' in node && typeof node.anchor === 'string';
}

/** Where a node begins. */
export function nodeOffset(node: unknown): number {
  if (typeof node !== 'object' || node === null || !('range' in node)) return 0;
  const { range } = node;
  const [start] = Array.isArray(range) ? range : [];
  return typeof start === 'number' ? start : 0;
}
