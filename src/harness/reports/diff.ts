import type { JsonValue } from '../../toolbox.js';
import { changesOf } from './changes.js';
import { type Edit, editsOf } from './edits.js';
import { beginningOf } from './foreign.js';
import { jsonOf } from './jsontext.js';

/** `-` was expected and did not come, `+` came, ` ` is in both, `@` says where, or what is left out. */
export interface DiffLine {
  readonly sign: '-' | '+' | ' ' | '@';
  readonly text: string;
}

const maxLines = 80;
const maxLineLength = 500;
const maxComparedLines = 4000;
const context = 3;
/** Of two texts in one line that begin alike, so much of that is shown. */
const sharedBeginning = 24;

/** What differs between two values, for people. Never more than they would read. */
export function diffOf(expected: JsonValue, actual: JsonValue): readonly DiffLine[] {
  const lines = [...differences(expected, actual)];
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), leftOut(lines.length - maxLines)] : lines;
  return shown.map(({ sign, text }) => ({ sign, text: cutLine(text) }));
}

function differences(expected: JsonValue, actual: JsonValue): readonly DiffLine[] {
  if (typeof expected === 'string' && typeof actual === 'string') return textDifferences(expected, actual);
  if (isContainer(expected) && isContainer(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    const changes = changesOf(expected, actual);
    if (changes.length > 0) return changes.flatMap(changedLines);
  }
  return both(expected, actual);
}

function changedLines({ path, ...change }: ReturnType<typeof changesOf>[number]): readonly DiffLine[] {
  const place: DiffLine = { sign: '@', text: path };
  if (change.expected === undefined) return [place, ...signed('+', jsonOf(change.actual))];
  if (change.actual === undefined) return [place, ...signed('-', jsonOf(change.expected))];
  if (typeof change.expected === 'string' && typeof change.actual === 'string' && /\n/.test(change.expected)) {
    return [place, ...textDifferences(change.expected, change.actual)];
  }
  return [place, ...both(change.expected, change.actual)];
}

function both(expected: JsonValue, actual: JsonValue): readonly DiffLine[] {
  return [...signed('-', jsonOf(expected)), ...signed('+', jsonOf(actual))];
}

function textDifferences(expected: string, actual: string): readonly DiffLine[] {
  if (!expected.includes('\n') && !actual.includes('\n')) return oneLineEach(expected, actual);
  const [before, after] = [expected, actual].map((text) => text.split('\n'));
  if (before === undefined || after === undefined) return [];
  const kept = [before, after].map((lines) => lines.slice(0, maxComparedLines)) as [string[], string[]];
  const lines = inContext(editsOf(...kept), ...kept);
  const more = Math.max(before.length, after.length) - maxComparedLines;
  return more > 0 ? [...lines, leftOut(more)] : lines;
}

function oneLineEach(expected: string, actual: string): readonly DiffLine[] {
  let shared = 0;
  while (shared < expected.length && expected[shared] === actual[shared]) shared += 1;
  const isLong = Math.max(expected.length, actual.length) > 2 * sharedBeginning;
  const from = isLong && shared > 2 * sharedBeginning ? shared - sharedBeginning : 0;
  const shown = (text: string) => (from === 0 ? text : `…${text.slice(from)}`);
  return [
    { sign: '-', text: shown(expected) },
    { sign: '+', text: shown(actual) },
  ];
}

/** Lines that changed, with a few around them. */
function inContext(edits: readonly Edit[], before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const isNear = new Uint8Array(edits.length);
  edits.forEach((edit, index) => {
    if (edit.kind !== 'same') isNear.fill(1, Math.max(0, index - context), index + context + 1);
  });
  const lines: DiffLine[] = [];
  let hidden = 0;
  const tellHidden = () => {
    if (hidden > 0) lines.push({ sign: '@', text: `… ${hidden} equal ${hidden === 1 ? 'line' : 'lines'}` });
    hidden = 0;
  };
  edits.forEach((edit, index) => {
    if (isNear[index] === 0) {
      hidden += 1;
      return;
    }
    tellHidden();
    if (edit.kind === 'in') lines.push({ sign: '+', text: after[edit.after] ?? '' });
    else lines.push({ sign: edit.kind === 'out' ? '-' : ' ', text: before[edit.before] ?? '' });
  });
  tellHidden();
  return lines;
}

function signed(sign: '-' | '+', text: string): readonly DiffLine[] {
  return text.split('\n').map((line) => ({ sign, text: line }));
}

function leftOut(lines: number): DiffLine {
  return { sign: '@', text: `… ${lines} more ${lines === 1 ? 'line' : 'lines'}` };
}

function cutLine(text: string): string {
  return text.length > maxLineLength ? `${beginningOf(text, maxLineLength)}…` : text;
}

function isContainer(value: JsonValue): value is readonly JsonValue[] | { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null;
}
