/** A step on the way from one list to another. */
export type Edit = { readonly kind: 'same' | 'out' | 'in'; readonly before: number; readonly after: number };

/** Ways that take more steps are not looked for: what differs so much is shown as a whole. */
const maxEdits = 600;

/** The shortest way from one list to the other, by Myers; where it is long, all of the one goes and all of the other comes. */
export function editsOf(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const start = commonLength(before, after, (list, index) => list[index]);
  const end = commonLength(before.slice(start), after.slice(start), (list, index) => list[list.length - 1 - index]);
  const [outs, ins] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const middle = shortestWay(outs, ins) ?? replaceAll(outs.length, ins.length);
  return [
    ...sames(start, 0, 0),
    ...middle.map(({ kind, before, after }) => ({ kind, before: before + start, after: after + start })),
    ...sames(end, before.length - end, after.length - end),
  ];
}

function commonLength(
  before: readonly string[],
  after: readonly string[],
  at: (list: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && at(before, length) === at(after, length)) length += 1;
  return length;
}

function sames(count: number, before: number, after: number): Edit[] {
  return Array.from({ length: count }, (_, index) => ({ kind: 'same', before: before + index, after: after + index }));
}

function replaceAll(outs: number, ins: number): Edit[] {
  return [
    ...Array.from({ length: outs }, (_, index): Edit => ({ kind: 'out', before: index, after: 0 })),
    ...Array.from({ length: ins }, (_, index): Edit => ({ kind: 'in', before: outs, after: index })),
  ];
}

function shortestWay(before: readonly string[], after: readonly string[]): readonly Edit[] | undefined {
  const most = Math.min(before.length + after.length, maxEdits);
  const middle = most + 1;
  const furthest = new Int32Array(2 * middle + 1);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = (other: number) => furthest[middle + other] ?? 0;
      const comesIn = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
      let x = comesIn ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      furthest[middle + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return wayBack(trace, before.length, after.length);
    }
  }
  return undefined;
}

function wayBack(trace: readonly Int32Array[], outs: number, ins: number): Edit[] {
  const way: Edit[] = [];
  let [x, y] = [outs, ins];
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const at = (diagonal: number) => trace[edits]?.[diagonal + edits + 1] ?? 0;
    const diagonal = x - y;
    const comesIn = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const fromX = comesIn ? at(diagonal + 1) : at(diagonal - 1);
    const fromY = fromX - (comesIn ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY) way.push({ kind: 'same', before: --x, after: --y });
    way.push({ kind: comesIn ? 'in' : 'out', before: fromX, after: fromY });
    [x, y] = [fromX, fromY];
  }
  while (x > 0 && y > 0) way.push({ kind: 'same', before: --x, after: --y });
  return way.reverse();
}
