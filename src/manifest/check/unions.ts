import type { JsonValue } from '../../toolbox.js';
import { findProblems, mismatch, type Problem, type Search } from './problems.js';
import { type Candidate, isObject } from './schema.js';
import { either, expectedBy } from './words.js';

/** What keeps the value from the member of the union that it comes closest to, or that it is of none. */
export function unionProblems(search: Search, members: readonly JsonValue[], value: Candidate): readonly Problem[] {
  const attempts: (readonly Problem[])[] = [];
  for (const member of members) {
    const problems = findProblems(search, member, value);
    if (problems.length === 0) return [];
    attempts.push(problems);
  }
  const best = attempts.reduce((one, other) => (closeness(other) > closeness(one) ? other : one), attempts[0] ?? []);
  const score = closeness(best);
  if (score === ofAnotherTag) return joinedTags(best, attempts.flat(), value);
  if (score > ofAnotherTag) return best;
  const expected = either(members.map((member) => expectedBy(search.root, member)));
  return [mismatch(expected, value, 'type', hintOf(attempts.flat()))];
}

const ofAnotherTag = 0.5;

/** How far the value got: a wrong tag says "another member is meant", a deep step "almost". */
export function closeness(problems: readonly Problem[]): number {
  if (problems.length === 0) return Number.POSITIVE_INFINITY;
  if (problems.some(({ kind, steps }) => kind !== 'other' && steps.length === 0)) return 0;
  if (problems.some(isTagProblem)) return ofAnotherTag;
  return 1 + Math.min(...problems.map(({ steps }) => steps.length)) + 1 / (1 + problems.length);
}

function isTagProblem({ kind, steps }: Problem): boolean {
  return kind === 'tag' && steps.length === 1 && typeof steps[0] === 'string';
}

/** Of several members of a union, each with its own tag: all the tags that would do. */
function joinedTags(problems: readonly Problem[], all: readonly Problem[], value: Candidate): readonly Problem[] {
  const place = problems.find(isTagProblem)?.steps[0];
  if (typeof place !== 'string' || !isObject(value)) return problems;
  const same = all.filter((problem) => isTagProblem(problem) && problem.steps[0] === place);
  const expected = either(same.flatMap((problem) => problem.expected ?? []));
  const hint = same.find((problem) => problem.hint)?.hint;
  return [{ ...mismatch(expected, value[place] ?? null, 'tag', hint), steps: [place] }];
}

function hintOf(problems: readonly Problem[]): string {
  return problems.find(({ hint, steps }) => hint && steps.length === 0)?.hint ?? '';
}
