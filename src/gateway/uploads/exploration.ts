import { sep } from 'node:path';
import { CallerError, createError, ExecutionError } from '../../errors.js';
import type { JsonSchema } from '../../toolbox.js';

export interface FoundTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly enabled: boolean;
  readonly why?: string;
  readonly inputSchema: JsonSchema;
}

export interface FoundTools {
  readonly tools: readonly FoundTool[];
  /** Of scripts that could not be read, in sentences. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

export interface ToolChoice {
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Handed in by whoever knows how scripts are read. Nothing of a script runs for it. */
export type Explore = (targets: readonly string[], choice: ToolChoice) => Promise<FoundTools>;

type Plain = (text: string) => string;

const mostReasons = 10;

/** The tools of what was uploaded; throws where none of them could be served. */
export async function findServable(
  explore: Explore,
  target: string,
  folder: string,
  choice: ToolChoice,
): Promise<FoundTools> {
  const plain: Plain = (text) => text.replaceAll(`${folder}${sep}`, '').replaceAll(folder, 'of the upload');
  const found = await explore([target], choice).catch((error: unknown) => {
    throw inPlainWords(error, plain);
  });
  const told: FoundTools = {
    tools: found.tools.map((tool) => shownOf(tool, plain)),
    problems: found.problems.map(plain),
    notes: found.notes.map(plain),
  };
  if (told.tools.some(({ enabled }) => enabled)) return told;
  throw new CallerError('INVALID_SCRIPT', `Nothing of the upload can be served: ${reasonsOf(told)}`);
}

/** And nothing else that whoever explores may know of a tool, such as where its script lies. */
function shownOf({ name, title, description, enabled, why, inputSchema }: FoundTool, plain: Plain): FoundTool {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    enabled,
    ...(why !== undefined && { why: plain(why) }),
    inputSchema,
  };
}

function reasonsOf({ tools, problems }: FoundTools): string {
  const reasons = [...problems, ...tools.map(({ name, why }) => `${name}: ${why ?? 'it is not enabled'}`)];
  if (reasons.length === 0) return 'it has no function that could be a tool';
  const more = reasons.length > mostReasons ? [`and ${reasons.length - mostReasons} more`] : [];
  return [...reasons.slice(0, mostReasons), ...more].join('; ');
}

/** Where the gateway keeps its files is nobody's business. */
function inPlainWords(error: unknown, plain: Plain): unknown {
  if (!(error instanceof ExecutionError)) return error;
  // Of tools that were chosen: the address itself exists.
  const code = error.code === 'UNKNOWN_TOOL' ? 'INVALID_REQUEST' : error.code;
  const { line, column, reference, retryAfterMs } = error.details;
  return createError(code, plain(error.message), { line, column, reference, retryAfterMs }, { cause: error });
}
