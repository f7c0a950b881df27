import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import { plainText } from './plain-text.js';

/** `server`, `server/tool` or `server__tool`, where `*` stands for any part of a name. */
export interface Pattern {
  readonly text: string;
  matches(server: string, tool: string): boolean;
  /** Whether any tool of the server could be meant. */
  concerns(server: string): boolean;
}

const longestPattern = 512;
const mostPatterns = 1000;
const separator = /\/|__/g;

export function readPatterns(given: unknown, place: string): readonly Pattern[] {
  if (!Array.isArray(given)) throw invalid(place, 'must be a list of texts');
  if (given.length > mostPatterns) {
    throw invalid(place, `has ${given.length} patterns; ${mostPatterns} are the most`);
  }
  return given.map((text: unknown) => readPattern(text, place));
}

/** A slip in a name that should be forbidden would permit it. */
export function refuseUnknownServers(patterns: readonly Pattern[], servers: readonly string[], place: string): void {
  for (const pattern of patterns) {
    const slip = slipIn(pattern, servers);
    if (slip !== undefined) throw invalid(place, slip);
  }
}

/** What is said of a pattern whose server there is not; one with `*` in the name may be meant for others. */
export function slipIn({ text, concerns }: Pattern, servers: readonly string[]): string | undefined {
  const server = text.split(separator)[0] ?? '';
  if (server.includes('*') || servers.some(concerns)) return undefined;
  const close = nearest(server, servers);
  const advice = close === undefined ? `The servers are ${listed(servers)}.` : `Did you mean ${plainText(close)}?`;
  return `names the server ${JSON.stringify(plainText(server))}, which there is not. ${advice}`;
}

function readPattern(text: unknown, place: string): Pattern {
  if (typeof text !== 'string') throw invalid(place, `must be a list of texts, and has ${JSON.stringify(text)}`);
  if (text.length > longestPattern) throw invalid(place, `has a pattern of more than ${longestPattern} characters`);
  const shown = JSON.stringify(plainText(text));
  if (text === '' || text !== text.trim()) {
    throw invalid(place, `has ${shown}, which is no pattern: say server, server/tool, or * for any part of a name`);
  }
  const splits = [...splitsOf(text)];
  const isHalf = splits.length === 0 && /^\/|\/$/.test(text);
  if (isHalf)
    throw invalid(place, `has ${shown}, of which a half is missing: say server/tool, or server for all of it`);
  return {
    text,
    matches: (server, tool) =>
      fits(text, server) || splits.some(([ofServer, ofTool]) => fits(ofServer, server) && fits(ofTool, tool)),
    concerns: (server) => fits(text, server) || splits.some(([ofServer]) => fits(ofServer, server)),
  };
}

/** Names may have the separators in them, so that each of these may be the one that is meant. */
function* splitsOf(text: string): Iterable<readonly [string, string]> {
  for (let at = 1; at < text.length - 1; at += 1) {
    const width = text[at] === '/' ? 1 : text.startsWith('__', at) ? 2 : 0;
    if (width > 0 && at + width < text.length) yield [text.slice(0, at), text.slice(at + width)];
  }
}

/** By hand, because a regular expression with many `*` can take forever. */
function fits(glob: string, name: string): boolean {
  const parts = glob.split('*');
  const first = parts[0] ?? '';
  if (parts.length === 1) return glob === name;
  const last = parts.at(-1) ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}

function listed(servers: readonly string[]): string {
  const few = servers.slice(0, 20).map((name) => plainText(name, 60));
  return few.length === 0 ? 'none' : few.join(', ');
}

function invalid(place: string, problem: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${place} ${problem}`, { argument: place });
}
