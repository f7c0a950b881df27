import { CallerError } from '../errors.js';
import { selectFrom } from '../harness/run/selection.js';
import type { Suite } from '../harness/suite.js';
import { harmless } from './harmless.js';
import type { TestFlags } from './test-flags.js';
import { hintOf } from './test-mistakes.js';

/** The suites that have something that is meant, so that no server is started for nothing. */
export function suitesWithCases(suites: readonly Suite[], flags: TestFlags): readonly Suite[] {
  const { filter, tag: tags } = flags;
  const meant = suites.filter((suite) => {
    const { cases, isComplete } = selectFrom(suite, { filter, tags });
    const looksAtServer = isComplete && suite.document.capabilities !== undefined;
    const isOfTag = (kind: string) => tags === undefined || tags.includes(kind);
    return cases.size > 0 || looksAtServer || builtIns(suite).some(isOfTag);
  });
  if (meant.length === 0) throw nothingMatches(suites, flags);
  return meant;
}

/** A run of no case would look like one that passed. */
export function nothingMatches(suites: readonly Suite[], { filter, tag = [] }: TestFlags): CallerError {
  const cases = suites.flatMap((suite) => suite.cases);
  const tags = [...new Set(cases.flatMap(({ spec }) => spec.tags).concat(suites.flatMap(builtIns)))].sort();
  if (tag.length > 0 && !tag.some((name) => tags.includes(name))) {
    const known = tags.length === 0 ? '; no case has tags' : hintOf(tag[0] ?? '', tags);
    return none(`No case matches --tag ${tag.join(', ')}${known}`, '--tag');
  }
  if (filter !== undefined) {
    const ids = cases.map(({ id }) => id);
    const ofTag = tag.length > 0 ? ` and --tag ${tag.join(', ')} together` : '';
    return none(`No case matches --filter ${filter}${ofTag}${hintOf(filter, ids)}`, '--filter');
  }
  return none('There is no case to run: the suites have neither cases nor checks');
}

/** What is found only while it runs, by the tag that it has. */
function builtIns({ document: { checks, conformance } }: Suite): readonly string[] {
  const hasChecks = Object.values(checks).some((check) => check !== undefined && check !== false);
  return [...(hasChecks ? ['check'] : []), ...(conformance === undefined ? [] : ['conformance'])];
}

function none(message: string, argument?: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', harmless(message), { argument });
}
