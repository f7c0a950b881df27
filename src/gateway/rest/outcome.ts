import { type ErrorDetails, ExecutionError, errorTable, isErrorCode } from '../../errors.js';
import type { Log } from '../../log.js';
import type { ToolResult } from '../../toolbox.js';
import { type Failure, failureOf } from '../http/failures.js';

/** What a call gave, in the same words at every address that is not MCP's. */
export type Answer = Pick<ToolResult, 'content' | 'structuredContent' | 'output' | 'figures'>;

export type Outcome =
  | { readonly isDone: true; readonly answer: Answer }
  | {
      readonly isDone: false;
      readonly failure: Failure;
      /** What there is beside the error. */
      readonly answer: Partial<Answer> & { readonly traceback?: string };
    };

/** How a call ended; a tool that says that it failed has failed. */
export async function outcomeOf(call: () => Promise<ToolResult>, log: Log): Promise<Outcome> {
  try {
    const result = await call();
    return result.isError ? failedTool(result) : { isDone: true, answer: answerOf(result) };
  } catch (error) {
    const failure = failureOf(error, log);
    return { isDone: false, failure, answer: error instanceof ExecutionError ? answerOfError(error) : {} };
  }
}

function answerOf({ content, structuredContent, output, figures }: ToolResult): Answer {
  return {
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(output !== undefined && { output }),
    ...(figures !== undefined && { figures }),
  };
}

/** A tool of another MCP server fails without a code: to whoever called it that is what an exception is. */
function failedTool(result: ToolResult): Outcome {
  const code = isErrorCode(result.code) ? result.code : 'EXCEPTION';
  const error = {
    code,
    message: firstWords(result, code),
    ...(isErrorCode(result.code) && { advice: errorTable[code].advice }),
  };
  const status = errorTable[code].httpStatus;
  return { isDone: false, failure: { status, headers: {}, body: { error } }, answer: answerOf(result) };
}

const longestMessage = 1000;

/** The first paragraph of what the tool says; the whole is in the content. */
function firstWords({ content }: ToolResult, code: string): string {
  const text = content.find((block) => block.type === 'text')?.text.trim() ?? '';
  const [paragraph = ''] = text.split(/\n\s*\n/, 1);
  const words = paragraph.startsWith(`${code}: `) ? paragraph.slice(code.length + 2) : paragraph;
  return words.slice(0, longestMessage) || 'The tool failed and did not say why';
}

function answerOfError({ details, fault }: ExecutionError): Partial<Answer> & { readonly traceback?: string } {
  if (fault === 'host') return {};
  const { figures, traceback } = details;
  return {
    ...outputOf(details),
    ...(figures !== undefined && { figures }),
    ...(traceback !== undefined && { traceback }),
  };
}

function outputOf({ stdout, stderr }: ErrorDetails): Pick<Answer, 'output'> {
  if (stdout === undefined && stderr === undefined) return {};
  return { output: { stdout: stdout ?? '', stderr: stderr ?? '' } };
}
