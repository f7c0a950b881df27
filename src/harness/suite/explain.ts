import * as z from 'zod';
import type { Path } from '../../configfile/place.js';
import { nearest } from '../../nearest.js';
import { isJsonObject } from '../../toolbox.js';
import { kindOf } from './kinds.js';
import { valueAt } from './paths.js';
import { serverForms } from './schema.js';
import { noBranch, sentenceOf } from './sentences.js';
import { unknownKey } from './unknown-key.js';

export interface Mistake {
  readonly path: Path;
  readonly reason: string;
  /** Of an object as a whole, which says little while something within it is wrong. */
  readonly isOfWhole?: boolean;
}

type Issue = z.core.$ZodIssue;
type UnionIssue = Extract<Issue, { readonly code: 'invalid_union' }>;

/** Has an issue about unknown keys say in its message which there are. */
export const knownNames: z.core.$ZodErrorMap = ({ code, inst }) =>
  code === 'unrecognized_keys' && inst instanceof z.ZodObject ? Object.keys(inst.shape).join(' ') : undefined;

/** What is wrong with the form of a suite, in words that say what to write. Values are never shown: they may be secret. */
export function explain(issues: readonly Issue[], given: unknown): readonly Mistake[] {
  const mistakes = issues.flatMap((issue) => explainIssue(issue, []));
  const above = new Set(mistakes.flatMap(({ path }) => path.map((_, length) => JSON.stringify(path.slice(0, length)))));
  return mistakes.filter(({ path, isOfWhole }) => !isOfWhole || !above.has(JSON.stringify(path)));

  function explainIssue(issue: Issue, before: Path): readonly Mistake[] {
    const path = [...before, ...namesOf(issue.path)];
    if (issue.code === 'unrecognized_keys') {
      const known = issue.message.split(' ');
      return issue.keys.map((key) => ({ path: [...path, key], reason: unknownKey(key, path, known) }));
    }
    if (issue.code === 'invalid_union') return path.join() === 'server' ? explainServer() : explainUnion(issue, path);
    return [{ path, reason: sentenceOf(issue, valueAt(given, path)), isOfWhole: issue.code === 'custom' }];
  }

  /** The branch that takes a value of this kind says best what is wrong within it. */
  function explainUnion(issue: UnionIssue, path: Path): readonly Mistake[] {
    const fitting = issue.errors.filter((branch) => !branch.some(isAboutAll));
    const [best] = fitting.toSorted((one, other) => one.length - other.length);
    if (best) return best.flatMap((each) => explainIssue(each, path));
    return [{ path, reason: noBranch(issue, valueAt(given, path)) }];
  }

  /** Which of the forms it was meant to have is clear from what it has. */
  function explainServer(): readonly Mistake[] {
    const path = ['server'];
    const server = valueAt(given, path);
    if (server === undefined) return [{ path, reason: `is missing: ${forms}` }];
    if (!isJsonObject(server)) return [{ path, reason: `${forms}; found ${kindOf(server)}` }];
    const kinds = Object.keys(serverForms).filter(isForm);
    // A command may have a url, at which it listens.
    const has = kinds.filter((kind) => server[kind] !== undefined && (kind !== 'url' || server.command === undefined));
    const [form = 'config' in server ? 'name' : undefined] = has;
    if (has.length > 1) return [{ path, reason: `${forms}; this one has ${has.join(' and ')}` }];
    if (form === undefined) return [{ path, reason: `${forms}; this one has none of them${meantIn(server)}` }];
    const parsed = serverForms[form].safeParse(server, { error: knownNames });
    return parsed.success ? [] : parsed.error.issues.flatMap((issue) => explainIssue(issue, path));
  }
}

const forms =
  'expected one of command (a program), url (an address), script (a Python script to serve) and name (an entry of an MCP config)';

function meantIn(server: object): string {
  const names = Object.keys(serverForms);
  const near = Object.keys(server)
    .map((key) => nearest(key, names))
    .find((name) => name !== undefined);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function isForm(name: string): name is keyof typeof serverForms {
  return name in serverForms;
}

function isAboutAll({ path, code }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function namesOf(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === 'symbol' ? String(step) : step));
}
