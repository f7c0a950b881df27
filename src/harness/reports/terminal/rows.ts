import type { Paint } from './paint.js';
import { cutTo, padTo, widthOf } from './width.js';

const gap = 2;
const leastForFirst = 12;

/** Rows under their titles; the first column is text and is cut where the terminal is narrow, the others are numbers. */
export function formatRows(rows: readonly (readonly string[])[], columns: number, paint: Paint): readonly string[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
  const others = widths.slice(1).reduce((sum, width) => sum + width + gap, 0);
  const first = Math.min(widths[0] ?? 0, Math.max(leastForFirst, columns - others - 1));
  return rows.map((row, index) => {
    const cells = row.map((cell, at) =>
      at === 0 ? padTo(cutTo(cell, first), first) : padTo(cell, widths[at] ?? 0, true),
    );
    const line = cells.join(' '.repeat(gap)).trimEnd();
    return index === 0 ? paint('dim', line) : line;
  });
}
