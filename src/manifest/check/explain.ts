import type { ErrorObject } from 'ajv/dist/2020.js';
import { mostProblems, type Problem } from './problems.js';
import { counted, pathText, type Step } from './words.js';

const explainedAtMost = 5;

export interface Explanation {
  readonly message: string;
  /** The path of the first argument that does not fit. */
  readonly argument?: string;
}

/** All problems in one message, a line each, so that one retry can mend all. */
export function explainArguments(problems: readonly Problem[]): Explanation {
  const [first] = problems;
  const argument = first && first.steps.length > 0 ? argumentPath(first.steps) : first?.names?.[0];
  return { message: lines(problems, argumentLine), argument };
}

export function explainResult(problems: readonly Problem[], resultKey?: string): string {
  return lines(problems, ({ steps, reason }) => {
    const inside = resultKey !== undefined && steps[0] === resultKey ? steps.slice(1) : steps;
    return `${pathText('result', inside)}: ${reason}`;
  });
}

/** What only the validator has a word for. */
export function problemOf(refusal: ErrorObject | undefined): Problem {
  const steps = (refusal?.instancePath ?? '').split('/').slice(1).map(decodeStep);
  return { steps, reason: refusal?.message ?? 'does not fit the schema', kind: 'other' };
}

function argumentLine({ steps, reason }: Problem): string {
  return steps.length === 0 ? `Arguments: ${reason}` : `Argument ${argumentPath(steps)}: ${reason}`;
}

function argumentPath([name, ...steps]: readonly Step[]): string {
  return pathText(String(name), steps);
}

function lines(problems: readonly Problem[], line: (problem: Problem) => string): string {
  const left = problems.length - explainedAtMost;
  const more = problems.length >= mostProblems ? 'and many more problems' : `and ${counted(left, 'more problem')}`;
  return [...problems.slice(0, explainedAtMost).map(line), ...(left > 0 ? [more] : [])].join('\n');
}

function decodeStep(step: string): Step {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^\d+$/.test(text) ? Number(text) : text;
}
