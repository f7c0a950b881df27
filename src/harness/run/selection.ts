import { CallerError } from '../../errors.js';
import type { RunOptions } from '../harness.js';
import type { Suite } from '../suite.js';

/** Which cases, checks and scenarios are meant. */
export interface Selection {
  readonly isComplete: boolean;
  takes(id: string, tags: readonly string[]): boolean;
  /** Ids of the cases that are run: those that are meant, and what they depend on. */
  readonly cases: ReadonlySet<string>;
}

export function selectFrom(suite: Suite, { filter, tags = [] }: Pick<RunOptions, 'filter' | 'tags'>): Selection {
  const matches = matcherOf(filter);
  const takes = (id: string, own: readonly string[]) =>
    matches(id) && (tags.length === 0 || own.some((tag) => tags.includes(tag)));
  const meant = suite.cases.filter(({ id, spec }) => takes(id, spec.tags));
  return {
    isComplete: filter === undefined && tags.length === 0,
    takes,
    cases: withWhatTheyNeed(
      meant.map(({ id }) => id),
      suite,
    ),
  };
}

const patternForm = /^\/(?<source>.+)\/(?<flags>[imsu]*)$/s;

function matcherOf(filter: string | undefined): (id: string) => boolean {
  if (filter === undefined) return () => true;
  const { source, flags } = patternForm.exec(filter)?.groups ?? {};
  if (source === undefined) {
    const wanted = filter.toLowerCase();
    return (id) => id.toLowerCase().includes(wanted);
  }
  try {
    const pattern = new RegExp(source, flags);
    return (id) => pattern.test(id);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CallerError('INVALID_ARGUMENTS', `The filter ${filter} is no pattern: ${reason}`, {
      argument: '--filter',
    });
  }
}

function withWhatTheyNeed(ids: readonly string[], suite: Suite): ReadonlySet<string> {
  const before = new Map(suite.cases.map(({ id, after }) => [id, after]));
  const found = new Set<string>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(before.get(id) ?? []));
  }
  return found;
}
