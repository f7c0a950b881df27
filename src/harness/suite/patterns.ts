import type { Path } from '../../configfile/place.js';
import { actionsOf } from './actions.js';
import type { Mistakes } from './mistakes.js';
import { referencesIn } from './references.js';
import type { CaptureSpec, SuiteDocument } from './schema.js';
import type { TextMatch, WrittenExpect, WrittenFields } from './schema-expect.js';

/** Finds regular expressions and JSONPaths that are none. Those with references in them are looked at when they are filled. */
export async function checkPatterns(document: SuiteDocument, mistakes: Mistakes): Promise<void> {
  const found = actionsOf(document).flatMap(({ path, spec }) => [
    ...(spec.expect ? inExpect(spec.expect, [...path, 'expect']) : []),
    ...(spec.capture ? inCapture(spec.capture, [...path, 'capture']) : []),
  ]);
  const isHard = found.some(({ kind, text }) => kind === 'path' && !plainPath.test(text));
  const reasonOf = createReasons(isHard ? await loadJsonPath() : undefined);
  for (const { path, text, kind } of found) {
    const reason = referencesIn(text).length > 0 ? undefined : reasonOf(kind, text);
    if (reason !== undefined) mistakes.add(path, reason);
  }
}

/** Most paths are of this kind, and right: the library need not be loaded for them. */
const plainPath = /^\$(?:\.[A-Za-z_]\w*|\.\*|\[(?:0|[1-9]\d{0,8}|\*)\]|\['[\w .-]*'\])*$/;

interface Found {
  readonly path: Path;
  readonly text: string;
  readonly kind: 'pattern' | 'path';
}

function inExpect(expect: WrittenExpect, path: Path): readonly Found[] {
  const { error, text, fields, data, snapshot, progress, logs, asks, notifications } = expect;
  return [
    ...(typeof error === 'object' ? inTextMatch(error.message, [...path, 'error', 'message']) : []),
    ...inTextMatch(text, [...path, 'text']),
    ...inFields(fields, [...path, 'fields']),
    ...inFields(data, [...path, 'data']),
    ...(typeof snapshot === 'object'
      ? snapshot.ignore.map(
          (each, at): Found => ({ path: [...path, 'snapshot', 'ignore', at], text: each, kind: 'path' }),
        )
      : []),
    ...(typeof progress === 'object' ? inTextMatch(progress.message, [...path, 'progress', 'message']) : []),
    ...(typeof logs === 'object' ? inTextMatch(logs.message, [...path, 'logs', 'message']) : []),
    ...inEach(asks, [...path, 'asks']),
    ...inEach(notifications, [...path, 'notifications']),
  ];
}

function inEach(list: WrittenExpect['asks'] | WrittenExpect['notifications'], path: Path): readonly Found[] {
  return (list || []).flatMap((each, index) =>
    typeof each === 'string' ? [] : inFields(each.fields, [...path, index, 'fields']),
  );
}

function inTextMatch(match: TextMatch | undefined, path: Path): readonly Found[] {
  if (typeof match !== 'object' || match.pattern === undefined) return [];
  const { pattern } = match;
  if (typeof pattern === 'string') return [{ path: [...path, 'pattern'], text: pattern, kind: 'pattern' }];
  return pattern.map((text, index) => ({ path: [...path, 'pattern', index], text, kind: 'pattern' }));
}

function inFields(fields: WrittenFields | undefined, path: Path): readonly Found[] {
  return Object.entries(fields ?? {}).flatMap(([name, matcher]): readonly Found[] => {
    const field: Found = { path: [...path, name], text: name, kind: 'path' };
    if (typeof matcher !== 'object' || matcher === null || !('pattern' in matcher)) return [field];
    const { pattern } = matcher;
    return pattern === undefined
      ? [field]
      : [field, { path: [...path, name, 'pattern'], text: pattern, kind: 'pattern' }];
  });
}

function inCapture(capture: CaptureSpec, path: Path): readonly Found[] {
  return Object.entries(capture).map(([name, from]): Found => {
    if (typeof from === 'string') return { path: [...path, name], text: from, kind: 'path' };
    if ('data' in from) return { path: [...path, name, 'data'], text: from.data, kind: 'path' };
    return { path: [...path, name, 'text'], text: from.text, kind: 'pattern' };
  });
}

type Compile = (text: string) => unknown;

/** Of a suite with many cases most paths are the same. */
function createReasons(compilePath: Compile | undefined): (kind: Found['kind'], text: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (kind, text) => {
    const key = `${kind} ${text}`;
    if (!known.has(key)) known.set(key, kind === 'pattern' ? reasonOfPattern(text) : reasonOfPath(text, compilePath));
    return known.get(key);
  };
}

function reasonOfPattern(text: string): string | undefined {
  const message = failureOf(() => new RegExp(text, 'u'));
  if (message === undefined) return undefined;
  const reason = message.slice(message.lastIndexOf(': ') + 2).toLowerCase();
  return `this is no regular expression of JavaScript with the flag u: ${reason}`;
}

function reasonOfPath(text: string, compile: Compile = () => undefined): string | undefined {
  const message = failureOf(() => compile(text));
  if (message === undefined) return undefined;
  const hint = text.startsWith('$')
    ? ''
    : `; a path begins with $, such as ${text.startsWith('[') ? `$${text}` : `$.${text}`}`;
  return `this is no JSONPath (RFC 9535)${hint === '' ? `: ${message}` : hint}`;
}

function failureOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function loadJsonPath(): Promise<Compile> {
  const { jsonpath } = await import('json-p3');
  return (text) => jsonpath.compile(text);
}
