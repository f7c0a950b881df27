import { looksSecret } from '../../redact.js';
import type { JsonValue } from '../../toolbox.js';
import { type Action, subjectOf } from './action.js';
import { plainLine } from './plain-line.js';

const mostArguments = 3;
const longestValue = 24;
const longestName = 120;

/** A name for a case from what it does. No two are the same. */
export function createCaseNames(isUnsayable: (text: string) => boolean): (action: Action) => string {
  const taken = new Set<string>();
  return (action) => {
    const wanted = nameOf(action, isUnsayable);
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) name = `${wanted} (${number})`;
    taken.add(name);
    return name;
  };
}

function nameOf(action: Action, isUnsayable: (text: string) => boolean): string {
  const { what, name } = subjectOf(action);
  if (what === 'list') return `lists ${name}`;
  const subject = what === 'tool' || what === 'request' ? name : `${what} ${name}`;
  const given = Object.entries(action.arguments ?? {}).flatMap(([key, value]) => shown(key, value, isUnsayable));
  const ending = given.length > 0 ? ` with ${given.slice(0, mostArguments).join(', ')}` : '';
  return withoutBraces(plainLine(isUnsayable(subject) ? what : subject + ending, longestName)) || what;
}

function shown(key: string, value: JsonValue, isUnsayable: (text: string) => boolean): string[] {
  const text = typeof value === 'object' ? '' : String(value);
  if (text === '' || text.length > longestValue || looksSecret(key) || isUnsayable(text) || isUnsayable(key)) return [];
  return [`${key}=${text}`];
}

/** Names are read as texts of a suite, in which braces may stand for something else. */
function withoutBraces(name: string): string {
  return name.replace(/[{}]/g, ' ').replace(/ +/g, ' ').trim();
}
