import type { Path } from '../../configfile/place.js';
import { nearest } from '../../nearest.js';
import { actionsOf, isPythonSource, withinAction } from './actions.js';
import type { Mistakes } from './mistakes.js';
import { referencesIn } from './references.js';
import type { SuiteDocument } from './schema.js';
import { noReference } from './values.js';

/** Values that every suite has. */
export const givenNames = ['temp', 'suite_folder'] as const;
/** A port that is free, in what is said of a server that is started and spoken to at an address. */
export const portName = 'port';

/**
 * Finds references to values that nobody defines.
 * Of each case it gives those whose captured values it uses: they have to come before it.
 */
export function checkReferences(
  document: SuiteDocument,
  given: unknown,
  texts: ReadonlyMap<string, string>,
  mistakes: Mistakes,
): readonly ReadonlySet<number>[] {
  const captures = capturesOf(document);
  const fixed = new Set([...givenNames, ...Object.keys(document.variables)]);
  const namesOfServer = new Set(listensAtAddress(document) ? [portName] : []);
  const mayBeSaid = scriptsMaySay(document, texts);
  const implied = document.cases.map(() => new Set<number>());
  eachText(given, (text, path) => {
    for (const { name, written } of referencesIn(text)) {
      if (name === undefined) mistakes.add(path, noReference(written));
      else check(name, path);
    }
  });
  return implied;

  function check(name: string, path: Path): void {
    if (path[0] === 'variables') return checkVariable(name, path);
    if (fixed.has(name) || (path[0] === 'server' && namesOfServer.has(name))) return;
    if (isBeforeRequests(path))
      return unknown(name, path, [...fixed, ...(path[0] === 'server' ? namesOfServer : [])], beforeRequests);
    const caseIndex = path[0] === 'cases' && typeof path[1] === 'number' ? path[1] : undefined;
    if (caseIndex !== undefined && isColumn(name, caseIndex)) return;
    const owners = captures.get(name);
    if (owners) return caseIndex === undefined ? undefined : imply(caseIndex, owners);
    if (!mayBeSaid) unknown(name, path, [...fixed, ...columnsOf(caseIndex), ...captures.keys()]);
  }

  /** A variable may use those above it. */
  function checkVariable(name: string, path: Path): void {
    const names = Object.keys(document.variables);
    const above = [...givenNames, ...names.slice(0, names.indexOf(String(path[1])))];
    if (!above.includes(name)) unknown(name, path, above, 'a variable may use those above it');
  }

  function isColumn(name: string, caseIndex: number): boolean {
    const rows = document.cases[caseIndex]?.each ?? [];
    if (!rows.some((row) => Object.hasOwn(row, name))) return false;
    if (captures.has(name)) return true;
    for (const [index, row] of rows.entries()) {
      if (Object.hasOwn(row, name)) continue;
      mistakes.add(['cases', caseIndex, 'each', index], `this row has no ${name}, which the case uses`);
    }
    return true;
  }

  function columnsOf(caseIndex: number | undefined): readonly string[] {
    const { each = [] } = document.cases[caseIndex ?? -1] ?? {};
    return [...new Set(each.flatMap((row) => Object.keys(row)))];
  }

  /** The nearest that comes before in the file, or else the first of all. */
  function imply(caseIndex: number, owners: Owners): void {
    if (owners.isOfSuite || owners.cases.has(caseIndex)) return;
    const others = [...owners.cases];
    const named = document.cases[caseIndex]?.depends_on ?? [];
    if (others.some((index) => named.includes(document.cases[index]?.name ?? ''))) return;
    const owner = others.findLast((index) => index < caseIndex) ?? others[0];
    if (owner !== undefined) implied[caseIndex]?.add(owner);
  }

  function unknown(name: string, path: Path, known: readonly string[], why?: string): void {
    const near = nearest(name, known);
    const hint = near === undefined ? `known are ${known.slice(0, mostShown).join(', ')}` : `did you mean ${near}?`;
    const reason = why === undefined ? '' : ` (${why})`;
    mistakes.add(path, `nothing defines the value ${name}${reason}; ${hint}`);
  }
}

const mostShown = 20;
const beforeRequests = 'nothing is captured before the server starts';

function isBeforeRequests([first]: Path): boolean {
  return first === 'server' || first === 'files' || first === 'client';
}

function listensAtAddress({ server }: SuiteDocument): boolean {
  return 'command' in server && server.url !== undefined;
}

interface Owners {
  readonly cases: ReadonlySet<number>;
  /** Whether a step of the whole suite captures it. */
  readonly isOfSuite: boolean;
}

function capturesOf(document: SuiteDocument): ReadonlyMap<string, Owners> {
  const captures = new Map<string, Owners>();
  for (const { spec, caseIndex } of actionsOf(document)) {
    for (const name of Object.keys(spec.capture ?? {})) {
      const { cases, isOfSuite } = captures.get(name) ?? { cases: new Set<number>(), isOfSuite: false };
      captures.set(name, {
        cases: caseIndex === undefined ? cases : new Set([...cases, caseIndex]),
        isOfSuite: isOfSuite || caseIndex === undefined,
      });
    }
  }
  return captures;
}

/** What a script will say by value() is not known before it runs. */
function scriptsMaySay(document: SuiteDocument, texts: ReadonlyMap<string, string>): boolean {
  return actionsOf(document)
    .flatMap(({ spec }) => spec.validate ?? [])
    .some(({ script, file }) => /\bvalue\s*\(/.test(script ?? texts.get(file ?? '') ?? ''));
}

function eachText(given: unknown, look: (text: string, path: Path) => void): void {
  const at: (string | number)[] = [];
  visit(given);

  function visit(value: unknown): void {
    if (typeof value === 'string') {
      if (value.includes('{{') && !isPlainText(at)) look(value, [...at]);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visitBelow(index, item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) visitBelow(name, item);
    }
  }

  function visitBelow(step: string | number, item: unknown): void {
    at.push(step);
    visit(item);
    at.pop();
  }
}

const plainInSuite = new Set(['$schema', 'name', 'description', 'capabilities', 'conformance']);
const plainInAction = new Set(['name', 'description', 'tags', 'skip', 'depends_on']);

/** Texts that are shown or compared as they are written. */
function isPlainText(path: Path): boolean {
  const [key = ''] = withinAction(path) ?? [];
  return plainInSuite.has(String(path[0])) || plainInAction.has(String(key)) || isPythonSource(path);
}
