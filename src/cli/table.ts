import { harmless } from './harmless.js';
import { paint, type Terminal } from './terminal.js';

export interface Column {
  readonly title: string;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
}

const usualWidth = 100;
const narrowest = 40;
const gap = '  ';
/** A name that is longer stands out of its column, and does not push the others. */
const widestColumn = 48;
/** Where less is left for the last column, it goes on a line of its own. */
const leastForLast = 24;
const ellipsis = '…';

/** Rows under their titles, in the width of the terminal. Only the last column is cut. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
): string {
  const cells = rows.map((row) => columns.map((_, index) => harmless(row[index] ?? '').trim()));
  const last = columns.length - 1;
  const widths = columns.map(({ title }, index) => {
    const widest = cells.reduce((width, row) => Math.max(width, Math.min(widestColumn, widthOf(row[index] ?? ''))), 0);
    return Math.max(title.length, widest);
  });
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0);
  const left = columnsOf(terminal) - before;
  const titles = line(columns.map(({ title }, index) => (index === last && left < leastForLast ? '' : title)));
  return [paint(terminal, 'dim', titles), ...cells.map(line)].map((text) => `${text}\n`).join('');

  function line(row: readonly string[]): string {
    const names = row.slice(0, last).map(padded);
    const rest = row[last] ?? '';
    if (left >= leastForLast) return [...names, cut(rest, left)].join(gap).trimEnd();
    const own = rest === '' ? '' : `\n    ${cut(rest, columnsOf(terminal) - 4)}`;
    return `${names.join(gap).trimEnd()}${own}`;
  }

  function padded(cell: string, index: number): string {
    const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
    return columns[index]?.isNumber ? `${padding}${cell}` : `${cell}${padding}`;
  }
}

/** How many characters a line of the terminal has. */
export function columnsOf({ environment }: Terminal): number {
  const width = Number(environment.COLUMNS) || process.stdout.columns || process.stderr.columns || usualWidth;
  return Math.max(narrowest, width);
}

/** As much of the text as fits, with a sign where something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [shown, used] = ['', 0];
  for (const { segment } of graphemes(text)) {
    used += widthOfGrapheme(segment);
    if (used > width - ellipsis.length) break;
    shown += segment;
  }
  return `${shown.trimEnd()}${ellipsis}`;
}

function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += widthOfGrapheme(segment);
  return width;
}

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.*\ufe0f)/u;

function widthOfGrapheme(grapheme: string): number {
  if (wide.test(grapheme)) return 2;
  return /^[\p{M}\p{Cf}]+$/u.test(grapheme) ? 0 : 1;
}
