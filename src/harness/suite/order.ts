import { shownName } from '../../configfile/place.js';
import { nearest } from '../../nearest.js';
import type { RowCase } from './cases.js';
import type { Mistakes } from './mistakes.js';
import { asWritten } from './paths.js';
import type { SuiteDocument } from './schema.js';

const mostNames = 12;

/** For each case of the file the ids of all that have to pass before it. */
export function idsBefore(
  { cases }: SuiteDocument,
  expanded: readonly (readonly RowCase[])[],
  implied: readonly ReadonlySet<number>[],
  given: unknown,
  mistakes: Mistakes,
): readonly (readonly string[])[] {
  const owners = ownersOf();
  const wanted = cases.map(({ depends_on }, index) => depends_on.map((name, at) => resolve(name, index, at)));
  const before = wanted.map((targets, index) => {
    const named = targets.flatMap((target) => (target === undefined ? [] : [target.index]));
    return [...new Set([...named, ...(implied[index] ?? [])])];
  });
  refuseCircle();
  return wanted.map((targets, index) => {
    const named = targets.flatMap((target) => target?.ids ?? []);
    const others = [...(implied[index] ?? [])].flatMap((other) => idsOf(other));
    return [...new Set([...named, ...others])];
  });

  function idsOf(index: number): readonly string[] {
    return (expanded[index] ?? []).map(({ id }) => id);
  }

  /** By the name in the file, which stands for all rows, and by the id of a row. */
  function ownersOf(): ReadonlyMap<string, Target> {
    const rows = expanded.flatMap((each, index) => each.map(({ id }): [string, Target] => [id, { index, ids: [id] }]));
    const wholes = cases.map(({ name }, index): [string, Target] => [name, { index, ids: idsOf(index) }]);
    return new Map([...rows, ...wholes]);
  }

  function resolve(name: string, index: number, at: number): Target | undefined {
    const target = owners.get(name);
    if (target) return target;
    const names = cases.map((each) => each.name);
    const near = nearest(name, names);
    const known = names.slice(0, mostNames).map(quoted).join(', ');
    const hint = near === undefined ? `known are ${known}` : `did you mean ${quoted(near)}?`;
    mistakes.add(asWritten(['cases', index, 'depends_on', at], given), `no case is called ${quoted(name)}; ${hint}`);
    return undefined;
  }

  function refuseCircle(): void {
    const circle = circleIn(before);
    const [first] = circle;
    if (first === undefined) return;
    const names = [...circle, first].map((index) => quoted(cases[index]?.name ?? ''));
    const shown = names.length > mostNames ? [...names.slice(0, mostNames), '…', names.at(-1)] : names;
    mistakes.add(['cases', first, 'depends_on'], `these cases wait for each other: ${shown.join(' → ')}`);
  }
}

interface Target {
  readonly index: number;
  readonly ids: readonly string[];
}

/** Cases that wait for each other, the first of the file first; none where all can be put in an order. */
function circleIn(before: readonly (readonly number[])[]): readonly number[] {
  const stuck = stuckIn(before);
  const [start] = stuck;
  if (start === undefined) return [];
  const walked = new Set<number>();
  let at = start;
  while (!walked.has(at)) {
    walked.add(at);
    at = before[at]?.find((other) => stuck.has(other)) ?? at;
  }
  const chain = [...walked];
  const circle = chain.slice(chain.indexOf(at));
  const first = circle.indexOf(circle.reduce((one, other) => Math.min(one, other)));
  return [...circle.slice(first), ...circle.slice(0, first)];
}

/** What is left when everything has run that can: those in circles, and those that wait for them. */
function stuckIn(before: readonly (readonly number[])[]): ReadonlySet<number> {
  const waiting = before.map((others) => others.length);
  const after = before.map((): number[] => []);
  before.forEach((others, index) => {
    for (const other of others) after[other]?.push(index);
  });
  const ready = [...waiting.keys()].filter((index) => waiting[index] === 0);
  const stuck = new Set(waiting.keys());
  for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
    stuck.delete(index);
    for (const next of after[index] ?? []) {
      const left = (waiting[next] ?? 0) - 1;
      waiting[next] = left;
      if (left === 0) ready.push(next);
    }
  }
  return stuck;
}

function quoted(name: string): string {
  return `"${shownName(name)}"`;
}
