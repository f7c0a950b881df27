import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { dataOf, textOf } from '../expect/answer.js';
import { isList } from '../expect/json.js';
import { pathText, type Step } from '../expect/path-text.js';
import type { CaptureInput } from './captures.js';

/** A value of an answer, and how a suite takes it from there. */
export interface FoundValue {
  readonly capture: CaptureInput;
  /** The key that it was found under, where it has one. */
  readonly key?: string;
}

/** The values of one answer that later input may have been made of. */
export interface AnswerValues {
  find(value: string | number): FoundValue | undefined;
  /** The values that stand in a text, the longest first. */
  within(text: string): readonly string[];
}

const mostLeaves = 300;
const deepest = 8;
const mostText = 20_000;
const longestPrefix = 30;
const sayable = /^[\p{L}\p{N}_ .:/@-]{1,100}$/u;

export function valuesOf(result: JsonObject): AnswerValues {
  const leaves = leavesOf(dataOf(result).data ?? null);
  const text = textOf(result).slice(0, mostText);
  return {
    find(value) {
      const steps = leaves.get(value);
      if (steps) return { capture: { data: pathText(steps) }, key: steps.findLast((step) => typeof step === 'string') };
      const pattern = typeof value === 'string' ? patternFor(value, text) : undefined;
      return pattern === undefined ? undefined : { capture: { text: pattern } };
    },
    within(given) {
      const texts = [...leaves.keys()].filter((leaf): leaf is string => typeof leaf === 'string');
      return texts.filter((leaf) => isIdentifier(leaf) && leaf !== given && given.includes(leaf)).sort(byLength);
    },
  };
}

/** What is made by a server and handed back to it; words that a person could have said by themselves are not. */
export function isIdentifier(value: JsonValue): value is string | number {
  if (typeof value === 'number') return Number.isSafeInteger(value) && Math.abs(value) >= 100_000;
  if (typeof value !== 'string' || value.length < 6 || value.length > 200) return false;
  return !/\s/.test(value) && (/\d/.test(value) || value.length >= 16);
}

function leavesOf(data: JsonValue): ReadonlyMap<string | number, readonly Step[]> {
  const leaves = new Map<string | number, readonly Step[]>();
  visit(data, []);
  return leaves;

  function visit(value: JsonValue, path: readonly Step[]): void {
    if (leaves.size >= mostLeaves || path.length > deepest) return;
    if (isList(value)) for (const [index, each] of value.entries()) visit(each, [...path, index]);
    else if (isJsonObject(value)) {
      for (const [key, each] of Object.entries(value)) if (sayable.test(key)) visit(each, [...path, key]);
    } else if (isIdentifier(value) && path.length > 0 && !leaves.has(value)) leaves.set(value, path);
  }
}

/** A pattern that finds the value by the words in front of it. */
function patternFor(value: string, text: string): string | undefined {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    if (/[\w-]/.test(text[at - 1] ?? ' ') || /[\w-]/.test(text[at + value.length] ?? ' ')) continue;
    const line = text.slice(0, at).split('\n').at(-1) ?? '';
    const before = line.slice(-longestPrefix).replace(/^[\udc00-\udfff]/, '');
    const characters = /^[\w-]+$/.test(value) ? '[\\w-]+' : '[^\\s"\'<>,;()\\[\\]]+';
    const pattern = `${escaped(before)}(${characters})`;
    if (new RegExp(pattern, 'u').exec(text)?.[1] === value) return pattern;
  }
  return undefined;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\d+/g, '\\d+');
}

function byLength(one: string, other: string): number {
  return other.length - one.length;
}
