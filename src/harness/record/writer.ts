import { Document, YAMLMap, YAMLSeq } from 'yaml';
import type { SuiteInput } from '../suite/schema.js';
import { nodeOf, withoutUnseen } from './layout.js';
import { plainLine } from './plain-line.js';

export type CaseInput = NonNullable<SuiteInput['cases']>[number];

/** What is said in a suite file to whoever reads it. */
export interface SuiteNotes {
  /** The address or path of the JSON Schema, for editors. */
  readonly schema?: string;
  /** Lines at the top. */
  readonly head?: readonly string[];
  /** Lines above a case, by its name. */
  readonly cases?: ReadonlyMap<string, readonly string[]>;
}

const style = { lineWidth: 0, flowCollectionPadding: false, doubleQuotedMinMultiLineLength: 2 ** 30 } as const;

/** A suite as YAML that people like to read. What it holds is written as it is: values go through `literal` before. */
export function writeSuite(suite: SuiteInput, notes: SuiteNotes = {}): string {
  const { cases = [], ...rest } = suite;
  const document = new Document();
  const root = nodeOf({ ...rest, ...(cases.length > 0 && { cases }) }, 'suite');
  document.contents = root;
  if (root instanceof YAMLMap) setApart(root, notes);
  const schema = notes.schema === undefined ? [] : [`# yaml-language-server: $schema=${plainLine(notes.schema)}`];
  const head = (notes.head ?? []).map(comment);
  const top = [...schema, ...head, ...(schema.length + head.length > 0 ? [''] : [])];
  const text = withoutUnseen(document.toString(style));
  return `${[...top, text.trimEnd()].join('\n')}\n`;
}

function comment(line: string): string {
  const [indent = ''] = /^ {0,4}/.exec(line) ?? [];
  return `# ${indent}${plainLine(line)}`.trimEnd();
}

/** Blank lines between the parts, and comments above the cases that they are about. */
function setApart(root: YAMLMap, { cases: comments }: SuiteNotes): void {
  let wasLong = false;
  for (const { key, value } of root.items) {
    const isLong = (value instanceof YAMLMap || value instanceof YAMLSeq) && value.flow !== true;
    if (isNode(key)) key.spaceBefore = isLong || wasLong;
    wasLong = isLong;
    if (!(value instanceof YAMLSeq) || !isLong) continue;
    for (const [index, item] of value.items.entries()) {
      if (!(item instanceof YAMLMap)) continue;
      item.spaceBefore = index > 0;
      const lines = comments?.get(String(item.get('name'))) ?? [];
      if (lines.length > 0) item.commentBefore = lines.map((line) => ` ${plainLine(line)}`).join('\n');
    }
  }
}

function isNode(given: unknown): given is { spaceBefore?: boolean } {
  return typeof given === 'object' && given !== null;
}
