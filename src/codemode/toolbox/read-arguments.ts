import type * as z from 'zod';
import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import { reasonOf } from '../../settings.js';
import type { JsonObject, JsonValue } from '../../toolbox.js';
import { type CodeToolName, limitNames } from './arguments.js';
import { shownJson } from './foreign-text.js';

const mostProblems = 5;
const longestMeant = 80;
/** Arguments that are objects or lists, and never text. */
const structured: ReadonlySet<string> = new Set(['servers', 'safe_tools', 'args', 'context', 'limits']);

/** The arguments as the tool takes them, or an error that names each that it does not. */
export function readArguments<S extends z.ZodObject>(tool: CodeToolName, schema: S, given: JsonObject): z.output<S> {
  const decoded = decodeTexts(given);
  const read = schema.safeParse(decoded);
  if (read.success) return read.data;
  const { issues } = read.error;
  const known = Object.keys(schema.shape);
  const lines = issues.slice(0, mostProblems).map((issue) => problemOf(issue, decoded, tool, known));
  const more = issues.length > mostProblems ? [`and ${issues.length - mostProblems} more problems`] : [];
  const argument = issues[0]?.path.map(String).join('.');
  throw new CallerError('INVALID_ARGUMENTS', [...lines, ...more].join('\n'), { argument: argument || undefined });
}

/** Models write JSON as text where an object or a list is asked for, and null for what they leave out. */
function decodeTexts(given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, structured.has(key) && typeof value === 'string' ? decodedOr(value) : value]),
  );
}

/** What is no JSON is left for the schema to refuse. */
function decodedOr(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text;
  }
}

function problemOf(issue: z.core.$ZodIssue, given: JsonObject, tool: string, known: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') return unknownArgument(issue, tool, known);
  const { path, message } = issue;
  const reason = reasonOf(message);
  if (path.length === 0) return `Arguments: ${reason}`;
  return `Argument ${path.map(String).join('.')}: ${reason}, got ${shownJson(valueAt(given, path))}`;
}

function unknownArgument({ keys, path }: z.core.$ZodIssueUnrecognizedKeys, tool: string, known: readonly string[]) {
  const [key = ''] = keys;
  const within = path.map(String).join('.');
  const taken = within === '' ? known : limitNames;
  const near = nearest(key.slice(0, longestMeant), taken);
  const hint = near === undefined ? '' : `did you mean ${near}? `;
  return `Unknown argument ${shownJson(key)}: ${hint}${within || tool} takes ${taken.join(', ')}`;
}

function valueAt(given: JsonObject, path: readonly PropertyKey[]): JsonValue | undefined {
  let value: JsonValue | undefined = given;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === String(step))?.[1];
  }
  return value;
}
