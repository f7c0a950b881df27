import { ScriptError } from '../../errors.js';
import type { ManifestTool } from '../../manifest/manifest.js';
import type { JsonObject, JsonSchema, JsonValue } from '../../toolbox.js';
import type { RunResult } from '../work.js';

const maxShownCharacters = 4096;

interface ResultCheck {
  resultProblem(schema: JsonSchema, value: JsonValue, resultKey?: string): string | undefined;
}

/** The result of a tool that says what it returns, or the error that shows how the value differs from that. */
export function resultOf(tool: ManifestTool, result: RunResult, { resultProblem }: ResultCheck): RunResult {
  const { outputSchema } = tool;
  if (!outputSchema) return result;
  const problem = resultProblem(outputSchema, structured(tool, result.value), tool.resultKey);
  if (problem === undefined) return result;
  const named = namingItsFile(result);
  if (named && resultProblem(outputSchema, structured(tool, named.value)) === undefined) return named;
  const { stdout, stderr, figures } = result;
  throw new ScriptError(
    'RESULT_MISMATCH',
    `The returned value does not fit the return annotation of the function: ${problem}\nThe value: ${shown(result.value)}`,
    { stdout, stderr, figures },
  );
}

/** The value in the form that the output schema describes. */
export function structured({ resultKey }: ManifestTool, value: JsonValue): JsonValue {
  return resultKey === undefined ? value : ({ [resultKey]: value } satisfies JsonObject);
}

/** Nothing is left of a picture that was returned alone, but a tool that promises text can give its name. */
function namingItsFile(result: RunResult): RunResult | undefined {
  const [file] = result.files;
  return result.value === null && file ? { ...result, value: file.name } : undefined;
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value, null, 2);
  const more = text.length - maxShownCharacters;
  return more > 0 ? `${text.slice(0, maxShownCharacters)} … and ${more} more characters` : text;
}
