import type { JsonValue } from '../../toolbox.js';
import type { ResultSchema } from '../known-tools.js';
import { firstMisfit, pathText } from './misfit.js';
import { type Answer, jsonIn, resultValueOf } from './result-value.js';

/** To decode a longer text once more would cost more than it tells. */
const maxTextLength = 1_000_000;

/** A sentence on the first place where an answer is not what is known of the tool's answers. It shows no values, and never throws. */
export function checkDrift(known: ResultSchema, answer: Answer): string | undefined {
  if (answer.isError === true) return undefined;
  try {
    const problem = known.origin === 'declared' ? declaredProblem(known, answer) : inferredProblem(known, answer);
    return problem === undefined ? undefined : `The answer does not fit ${expectationOf(known)}: ${problem}.`;
  } catch {
    return undefined;
  }
}

function expectationOf({ origin, samples = 1 }: ResultSchema): string {
  if (origin === 'declared') return 'the output schema that the server declares';
  return `what was inferred from ${samples === 1 ? 'one sample' : `${samples} samples`}`;
}

function declaredProblem({ schema }: ResultSchema, { structuredContent }: Answer): string | undefined {
  return structuredContent === undefined ? 'it has no structured content' : problemOf(schema, structuredContent);
}

function inferredProblem({ schema, isJsonText }: ResultSchema, answer: Answer): string | undefined {
  const { from, value } = resultValueOf(answer);
  if (from !== 'text' || isJsonText !== true) return problemOf(schema, value);
  if (value.length > maxTextLength) return undefined;
  const decoded = jsonIn(value);
  return decoded === undefined ? 'it is text that is no JSON object or array' : problemOf(schema, decoded);
}

function problemOf(schema: ResultSchema['schema'], value: JsonValue): string | undefined {
  const misfit = firstMisfit(schema, value);
  return misfit && `${pathText(misfit.path)} ${misfit.problem}`;
}
