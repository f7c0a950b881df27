import type { Path } from '../../configfile/place.js';
import type { CaseSpec, StepSpec, SuiteDocument } from './schema.js';

/** Something that sends a request: a case, or a step. */
export interface Action {
  readonly path: Path;
  readonly spec: CaseSpec | StepSpec;
  /** Of a case or a step in it: which case. */
  readonly caseIndex?: number;
}

/** All cases and steps of a suite, in the order of the file's own parts. */
export function actionsOf(document: SuiteDocument): readonly Action[] {
  return [
    ...stepsOf([], document),
    ...document.cases.flatMap((spec, caseIndex): readonly Action[] => {
      const path = ['cases', caseIndex];
      return [{ path, spec, caseIndex }, ...stepsOf(path, spec).map((step) => ({ ...step, caseIndex }))];
    }),
  ];
}

const stepLists = ['setup', 'teardown'] as const;

function stepsOf(path: Path, of: Pick<CaseSpec, (typeof stepLists)[number]>): readonly Action[] {
  return stepLists.flatMap((list) => of[list].map((spec, index) => ({ path: [...path, list, index], spec })));
}

/** What is left of a path within the case or step that it leads into. */
export function withinAction(path: Path): Path | undefined {
  const inCase = path[0] === 'cases' && typeof path[1] === 'number' ? path.slice(2) : undefined;
  const steps = inCase ?? path;
  if (isStepList(steps[0]) && typeof steps[1] === 'number') return steps.slice(2);
  return inCase;
}

function isStepList(step: string | number | undefined): boolean {
  return stepLists.some((list) => list === step);
}

/** Python is left as it is written: braces and dollars have their own meaning in it. */
export function isPythonSource(path: Path): boolean {
  const [key, ...rest] = withinAction(path) ?? [];
  return key === 'validate' && rest.every((step) => typeof step === 'number' || step === 'script');
}
