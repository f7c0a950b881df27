/** A unified diff of two texts that differ in one place, as an edit of one entry makes them. */
export function diffOf(before: string, after: string, context = 3): readonly string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const same = (one?: string, other?: string) => one !== undefined && one === other;
  let head = 0;
  while (same(old[head], fresh[head])) head++;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && same(old[old.length - 1 - tail], fresh[fresh.length - 1 - tail])) tail++;
  if (head === old.length && head === fresh.length) return [];
  const start = Math.max(0, head - context);
  const [oldEnd, freshEnd] = [old.length - tail, fresh.length - tail];
  const after_ = old.slice(oldEnd, oldEnd + context);
  return [
    `@@ -${rangeOf(start, oldEnd + after_.length)} +${rangeOf(start, freshEnd + after_.length)} @@`,
    ...old.slice(start, head).map((line) => ` ${line}`),
    ...old.slice(head, oldEnd).map((line) => `-${line}`),
    ...fresh.slice(head, freshEnd).map((line) => `+${line}`),
    ...after_.map((line) => ` ${line}`),
  ];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function rangeOf(start: number, end: number): string {
  const count = end - start;
  return `${count === 0 ? start : start + 1},${count}`;
}
