import type { JsonObject } from '../toolbox.js';
import { harmless } from './harmless.js';

const mostNamed = 20;
const longestName = 80;
const leastOfEach = 60;

/** What a person decides on: where it is too long, every argument is named, and of each is said how much is left out. */
export function shownArguments(given: JsonObject, longest: number): string {
  const whole = harmless(JSON.stringify(given));
  if (whole.length <= longest) return whole;
  const entries = Object.entries(given);
  const named = entries.slice(0, mostNamed);
  const ofEach = Math.max(leastOfEach, Math.floor(longest / named.length));
  const more = entries.length - named.length;
  return [
    `${whole.length} characters of arguments:`,
    ...named.map(
      ([name, value]) => `  ${part(JSON.stringify(name), longestName)}: ${part(JSON.stringify(value), ofEach)}`,
    ),
    ...(more > 0 ? [`  and ${more} more arguments, which are not shown`] : []),
  ].join('\n');
}

/** The beginning and the end. */
function part(json: string, longest: number): string {
  const text = harmless(json);
  const half = Math.floor(longest / 2);
  if (text.length <= longest) return text;
  return `${text.slice(0, half)} [… ${text.length - 2 * half} characters …] ${text.slice(-half)}`;
}
