import { isJsonObject, type JsonValue } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { Fields, Matcher } from '../suite/schema-expect.js';
import { isList } from './json.js';
import { type Mismatch, mismatchesOf, type Wanted } from './matcher.js';
import { pathText, type Step } from './path-text.js';
import { type Found, find } from './query.js';
import { bounded, cut, shown } from './shown.js';

const toldAtMost = 5;
const matcherKeys: ReadonlySet<string> = new Set<keyof Matcher>([
  'value',
  'type',
  'pattern',
  'contains',
  'min',
  'max',
  'length',
  'exists',
]);

/** By JSONPath, what is not as expected. `where` begins the sentences where the root is not the whole result. */
export function checkFields(fields: Fields, root: JsonValue, where = ''): readonly Finding[] {
  return Object.entries(fields).flatMap(([path, expected]) => checkField(path, wantedOf(expected), root, where));
}

/** An object that says nothing of a matcher is what to compare with: a value of the run, or the empty one. */
function wantedOf(expected: Fields[string] | JsonValue): Wanted {
  if (expected === null || typeof expected !== 'object' || isList(expected)) return { value: expected };
  return isMatcher(expected) ? expected : { value: expected };
}

function isMatcher(given: Wanted | JsonValue): given is Wanted {
  const keys = Object.keys(given ?? {});
  return keys.length > 0 && keys.every((key) => matcherKeys.has(key));
}

function checkField(path: string, wanted: Wanted, root: JsonValue, where: string): readonly Finding[] {
  const found = find(path, root);
  if ('problem' in found) return [{ kind: 'field', path, message: found.problem }];
  const nodes = found.value;
  if (wanted.exists === false) return nodes.length === 0 ? [] : [surplus(path, nodes, where)];
  if (nodes.length === 0) return [missing(path, wanted, root, where)];
  const findings: Finding[] = [];
  let left = 0;
  for (const { value, steps } of nodes) {
    const mismatches = mismatchesOf(wanted, value, steps);
    if (findings.length < toldAtMost) findings.push(...mismatches.map((each) => findingOf(each, value, steps, where)));
    else left += mismatches.length;
  }
  if (left === 0) return findings;
  const message = `${where}${cut(path)} finds more that is not as expected: ${left} things beside these.`;
  return [...findings, { kind: 'field', path, message }];
}

function findingOf({ says, expected }: Mismatch, value: JsonValue, steps: readonly Step[], where: string): Finding {
  const path = pathText(steps);
  return { kind: 'field', path, message: `${where}${cut(path)} ${says}`, expected, actual: bounded(value) };
}

function surplus(path: string, nodes: readonly Found[], where: string): Finding {
  const [first] = nodes;
  const is = nodes.length === 1 && first ? `is ${shown(first.value)}` : `finds ${nodes.length} values`;
  return {
    kind: 'field',
    path,
    message: `${where}${cut(path)} ${is}; expected nothing there.`,
    expected: { exists: false },
    ...(first && { actual: bounded(first.value) }),
  };
}

function missing(path: string, wanted: Wanted, root: JsonValue, where: string): Finding {
  const { value, ...others } = wanted;
  const expected = value ?? (Object.keys(others).length === 0 ? null : { ...others });
  const instead = value === undefined ? '' : `; expected ${shown(value)}`;
  const there = isJsonObject(root) ? ` There is ${names(Object.keys(root))}.` : '';
  const message = `${where}${cut(path)} finds nothing${instead}.${there}`;
  return { kind: 'field', path, message, expected };
}

function names(keys: readonly string[]): string {
  if (keys.length === 0) return 'nothing at all';
  const few = keys.slice(0, 10).map((key) => cut(pathText([key]), 60));
  return few.join(', ') + (keys.length > few.length ? ' …' : '');
}
