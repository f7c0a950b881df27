import { JSONPathEnvironment, JSONPathError } from 'json-p3';
import type { JsonValue } from '../../toolbox.js';
import type { Step } from './path-text.js';
import { type Readable, remembered } from './remembered.js';
import { cut } from './shown.js';

export interface Found {
  readonly value: JsonValue;
  readonly steps: readonly Step[];
}

const keptAtMost = 2000;
const mostFound = 100_000;
const deepest = 1000;

/** The query of the library, whose own type of JSON may be written to and has undefined. */
interface Query {
  lazyQuery(value: JsonValue): Iterable<{ readonly value: JsonValue; readonly location: readonly Step[] }>;
}

let environment: JSONPathEnvironment | undefined;

/** A query by JSONPath (RFC 9535), compiled once. */
export const queryOf = remembered(keptAtMost, (path): Readable<Query> => {
  environment ??= new JSONPathEnvironment({ maxRecursionDepth: deepest });
  try {
    return { value: environment.compile(path) as Query };
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    return { problem: `${cut(path)} is no JSONPath: ${reasonOf(path, error)}.` };
  }
});

/** All that a path finds, in the order of the value. */
export function find(path: string, value: JsonValue): Readable<readonly Found[]> {
  const query = queryOf(path);
  if ('problem' in query) return query;
  const found: Found[] = [];
  try {
    for (const node of query.value.lazyQuery(value)) {
      if (found.length >= mostFound) return { problem: `${cut(path)} finds more than ${mostFound} values.` };
      found.push({ value: node.value, steps: node.location });
    }
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    return { problem: `${cut(path)} cannot be followed: ${saidBy(error)}.` };
  }
  return { value: found };
}

function reasonOf(path: string, error: JSONPathError): string {
  if (!path.startsWith('$')) return 'a path begins with $';
  const said = saidBy(error);
  return said.startsWith("can't backup") ? 'it ends too early' : said;
}

/** Without the path and the place in it, which the library adds to its sentences. */
function saidBy(error: JSONPathError): string {
  return cut(error.message.replace(/ \('[\s\S]*':\d+\)$/, ''));
}
