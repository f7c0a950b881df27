import { ExecutionError, LimitError } from '../../errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { within } from '../execute/deadline.js';
import { cleanLine } from '../wrappers/foreign-text.js';
import { type Answer, resultValueOf } from './result-value.js';
import { isList } from './shape.js';

/** One call, which policy and records hold for. */
export type CallTool = (
  server: string,
  tool: string,
  args: JsonObject,
  options: { readonly signal: AbortSignal },
) => Promise<Answer>;

export interface Asked {
  readonly answers: readonly Answer[];
  /** Why the last call that failed did. */
  readonly failure?: string;
  /** The server itself failed, not only the call. */
  readonly isServerFailing: boolean;
}

const maxTextLength = 4_000_000;
const maxPlaces = 200_000;

/** The answers to calls one after the other, such as can be learnt from. Throws only where all is cancelled. */
export async function askForSamples(
  call: (args: JsonObject, signal: AbortSignal) => Promise<Answer>,
  samples: readonly JsonObject[],
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<Asked> {
  const answers: Answer[] = [];
  let failure: string | undefined;
  for (const args of samples) {
    try {
      const answer = await within(limits, (signal) => call(args, signal));
      const problem = problemOf(answer);
      if (problem === undefined) answers.push(answer);
      else failure = problem;
    } catch (error) {
      if (limits.signal?.aborted === true) throw error;
      failure = messageOf(error);
      if (isFailureOfServer(error)) return { answers, failure, isServerFailing: true };
    }
  }
  return { answers, ...(failure !== undefined && { failure }), isServerFailing: false };
}

function problemOf(answer: Answer): string | undefined {
  if (answer.isError === true) return `It answered that it failed: ${errorText(answer) || 'without a word'}`;
  const { from, value } = resultValueOf(answer);
  const isTooLarge = from === 'text' ? value.length > maxTextLength : hasMorePlacesThan(maxPlaces, value);
  return isTooLarge ? 'Its answer is too large to learn from. Call it with arguments that ask for less.' : undefined;
}

function errorText({ content }: Answer): string {
  const texts = content.flatMap((block) =>
    block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  return cleanLine(texts.join(' '), 200);
}

function messageOf(error: unknown): string {
  if (!(error instanceof ExecutionError)) return 'The call failed for an unknown reason.';
  return `The call failed: ${cleanLine(error.message, 300)} (${error.code})`;
}

function isFailureOfServer(error: unknown): boolean {
  return (
    error instanceof ExecutionError &&
    (error.fault === 'host' || (error instanceof LimitError && error.code === 'TIMEOUT'))
  );
}

function hasMorePlacesThan(most: number, value: JsonValue): boolean {
  const waiting: JsonValue[] = [value];
  let places = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    places += 1;
    if (places > most) return true;
    if (isList(next)) for (const item of next) waiting.push(item);
    else if (isJsonObject(next)) for (const item of Object.values(next)) waiting.push(item);
  }
  return false;
}
