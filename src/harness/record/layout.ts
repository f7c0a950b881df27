import { type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { caseSchema, serverForms, suiteSchema } from '../suite/schema.js';
import { expectSchema } from '../suite/schema-expect.js';

type Part = keyof typeof orders | 'fields' | 'matcher' | 'value';

/** Keys in the order in which the form of a suite lists them; of a case, first whether it is run at all. */
const orders = {
  suite: Object.keys(suiteSchema.shape),
  case: ['name', 'description', 'skip', ...Object.keys(caseSchema.shape)],
  expect: Object.keys(expectSchema.shape),
  server: Object.values(serverForms).flatMap(({ shape }) => Object.keys(shape)),
} as const;

/** What the values of some keys are, so that their keys are put in order too. */
const parts: Readonly<Record<string, Part>> = {
  'suite.server': 'server',
  'suite.cases': 'case',
  'suite.setup': 'case',
  'suite.teardown': 'case',
  'case.expect': 'expect',
  'expect.fields': 'fields',
  'expect.data': 'fields',
  'case.setup': 'case',
  'case.teardown': 'case',
};

const widest = 80;

/** A value as nodes of YAML: keys in order, short lists on one line, texts of several lines as blocks. */
export function nodeOf(value: unknown, part: Part = 'value'): Node {
  if (typeof value === 'string') return textNode(value);
  if (Array.isArray(value)) return listNode(value, part);
  if (typeof value !== 'object' || value === null) return new Scalar(value);
  const map = new YAMLMap();
  for (const [key, each] of inOrder(value, part)) {
    if (each !== undefined)
      map.items.push(
        new Pair(textNode(key, true), nodeOf(each, part === 'fields' ? 'matcher' : parts[`${part}.${key}`])),
      );
  }
  map.flow = part === 'matcher' && isShort(Object.values(value));
  return map;
}

function listNode(values: readonly unknown[], part: Part): YAMLSeq {
  const list = new YAMLSeq();
  for (const each of values) list.items.push(nodeOf(each, part));
  list.flow = isShort(values);
  return list;
}

function isShort(values: readonly unknown[]): boolean {
  const isPlain = values.every((each) => typeof each !== 'object' && !String(each).includes('\n'));
  return isPlain && JSON.stringify(values).length <= widest;
}

function inOrder(value: object, part: Part): [string, unknown][] {
  const entries = Object.entries(value);
  if (!isOrdered(part)) return entries;
  const order = orders[part];
  const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
  return entries.sort(([one], [other]) => rank(one) - rank(other));
}

function isOrdered(part: Part): part is keyof typeof orders {
  return Object.hasOwn(orders, part);
}

/** Of these, a text that is not quoted would be read as something else, by some reader or other. */
const ambiguous = /^(?:y|n|yes|no|on|off|true|false|null|none|nan|inf|~|<<|=|[-+.\d][\d_:.,eExXoObB/TZ+-]*)$/i;
/** What no editor shows, and what would command a terminal; but for the joiners, which emoji and some writings need. */
const unseen = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffe\uffff]/u;
const everyUnseen = new RegExp(unseen, 'gu');

function textNode(text: string, isKey = false): Scalar {
  const node = new Scalar(text);
  const isOneLine = isKey || !text.includes('\n');
  if (unseen.test(text) || ambiguous.test(text) || (isOneLine && text.includes('\t'))) node.type = Scalar.QUOTE_DOUBLE;
  else if (text.includes('\n')) node.type = isBlock(text) && !isOneLine ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
  return node;
}

/** Whether one sees where its lines begin and end. */
function isBlock(text: string): boolean {
  return /^\S/.test(text) && !text.endsWith('\n\n') && text.split('\n').every((line) => !/\s$/.test(line));
}

/** What cannot be seen is written in digits. Only quoted texts hold any. */
export function withoutUnseen(yaml: string): string {
  return yaml.replace(everyUnseen, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    return digits.length > 4 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}
