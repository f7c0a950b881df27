import { createHash } from 'node:crypto';
import { builtinNames, deviceNames, hardKeywords, softKeywords, usedByModules } from './reserved-names.js';

/** What a tool is called in Python: `from servers.github import create_issue`. */
export interface ToolNames {
  /** Of its file too. */
  readonly module: string;
  readonly function: string;
  readonly asyncFunction: string;
}

/** The Python module of each server. Depends on which servers there are, never on their order. */
export function serverModules(servers: readonly string[]): ReadonlyMap<string, string> {
  return keptApart(servers, moduleRules('server'));
}

/** What each tool of one server is called. Depends on which tools there are, never on their order. */
export function toolNames(tools: readonly string[]): ReadonlyMap<string, ToolNames> {
  const functions = keptApart(tools, moduleRules('tool'));
  const taken = new Set([...functions.values()].flatMap((name) => [fold(name), fold(`${name}_async`)]));
  const ofTools = new Set([...functions.values()].map(fold));
  return new Map(
    [...functions].map(([tool, name]) => {
      // The underscore that keeps a name apart from a keyword is not needed before another word.
      const plain = `${name === `${tool}_` ? tool : name}_async`;
      const isFree = !ofTools.has(fold(plain));
      const asyncFunction = isFree ? plain : hashed(tool, plain, (candidate) => taken.has(fold(candidate)));
      return [tool, { module: name, function: name, asyncFunction }];
    }),
  );
}

/** What each argument of one tool is called. */
export function parameterNames(keys: readonly string[]): ReadonlyMap<string, string> {
  return keptApart(keys, {
    nameOf: (key) => {
      const name = identifierOf(key, 'arg').replace(/^_{2,}/, '') || `arg_${hashOf(key, 6)}`;
      const safe = /^\d/.test(name) ? `arg_${name}` : name;
      return parametersToAvoid.has(safe) ? `${safe}_` : safe;
    },
    sameness: (name) => name,
  });
}

/** The name of a type: words in one, each with a capital letter. */
export function typeName(...words: readonly string[]): string {
  const joined = words
    .flatMap((word) => plainLetters(word).split(/[^A-Za-z0-9]+/))
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
    .slice(0, longestName);
  return /^[A-Za-z]/.test(joined) ? joined : `Type${joined}`;
}

interface NameRules {
  nameOf(original: string): string;
  /** Two names are the same where this is. */
  sameness(name: string): string;
}

const longestName = 64;
const modulesToAvoid = new Set([...hardKeywords, ...softKeywords, ...builtinNames, ...usedByModules, ...deviceNames]);
/** Types may be shadowed by a parameter, as annotations are not looked up among parameters; what the body calls may not. */
const parametersToAvoid = new Set([...hardKeywords, '_call', '_call_async']);

function moduleRules(fallback: string): NameRules {
  return {
    nameOf(original) {
      const name = identifierOf(original, fallback).replace(/^_+/, '') || `${fallback}_${hashOf(original, 6)}`;
      const safe = /^\d/.test(name) ? `${fallback}_${name}` : name;
      return modulesToAvoid.has(safe) || deviceNames.has(safe.toLowerCase()) ? `${safe}_` : safe;
    },
    // Not every file system tells Foo.py from foo.py.
    sameness: fold,
  };
}

/** A name that needs no change keeps it; of others that become the same, each gets a piece of its hash. */
function keptApart(originals: readonly string[], { nameOf, sameness }: NameRules): ReadonlyMap<string, string> {
  const wanted = [...new Set(originals)].sort().map((original) => ({ original, name: nameOf(original) }));
  const rivals = new Map<string, number>();
  for (const { name } of wanted) rivals.set(sameness(name), (rivals.get(sameness(name)) ?? 0) + 1);
  const taken = new Set<string>();
  const given = new Map<string, string>();
  const give = (original: string, name: string) => {
    taken.add(sameness(name));
    given.set(original, name);
  };
  for (const { original, name } of wanted) {
    if (name === original && !taken.has(sameness(name))) give(original, name);
  }
  for (const { original, name } of wanted) {
    if (given.has(original)) continue;
    const isFree = rivals.get(sameness(name)) === 1 && !taken.has(sameness(name));
    give(original, isFree ? name : hashed(original, name, (candidate) => taken.has(sameness(candidate))));
  }
  return new Map(originals.map((original) => [original, given.get(original) ?? nameOf(original)]));
}

function hashed(original: string, name: string, isTaken: (candidate: string) => boolean): string {
  for (let length = 6; ; length++) {
    const candidate = `${name}_${hashOf(original, length)}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Letters of ASCII, digits and _, none of them first that may not be; not yet free of keywords. */
function identifierOf(original: string, fallback: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(original)) return shortened(original, original);
  const letters = plainLetters(original)
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '');
  if (letters === '') return `${fallback}_${hashOf(original, 6)}`;
  return shortened(original, /^\d/.test(letters) ? `${fallback}_${letters}` : letters);
}

function shortened(original: string, name: string): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName - 9)}_${hashOf(original, 8)}`;
}

/** Without the accents; `ß` and the like become the letters that they stand for. */
function plainLetters(text: string): string {
  return text.slice(0, 1000).replaceAll('ß', 'ss').normalize('NFKD').replace(/\p{M}/gu, '');
}

function fold(name: string): string {
  return name.toLowerCase();
}

function hashOf(text: string, length: number): string {
  // Lone surrogates are all the same in UTF-8, and not in UTF-16.
  return createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, length);
}
