import { isJsonObject, type JsonValue } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { TextMatch } from '../suite/schema-expect.js';
import { isList } from './json.js';
import { patternOf } from './patterns.js';
import { bounded, cut, shown } from './shown.js';

/** What of the expected is not so of a text, also where values of the run took the place of texts. `subject` begins the sentences, such as `The text`. */
export function checkText(
  match: TextMatch | JsonValue,
  text: string,
  subject = 'The text',
  kind = 'text',
): readonly Finding[] {
  const { equals, contains, excludes, pattern } = textsWanted(match);
  const finding = (message: string, expected: Finding['expected']): Finding => {
    return { kind, message, expected, actual: bounded(text) };
  };
  return [
    ...(equals === undefined || equals === text
      ? []
      : [finding(`${subject} is ${shown(text)}; expected ${shown(equals)}.`, equals)]),
    ...contains
      .filter((part) => !text.includes(part))
      .map((part) => finding(`${subject} does not contain ${shown(part)}; it is ${shown(text)}.`, { contains: part })),
    ...excludes
      .filter((part) => text.includes(part))
      .map((part) =>
        finding(`${subject} contains ${shown(part)}, which it must not; it is ${around(text, part)}.`, {
          excludes: part,
        }),
      ),
    ...pattern.flatMap((each) => {
      const problem = mismatch(each, text, subject);
      return problem === undefined ? [] : [finding(problem, { pattern: each })];
    }),
  ];
}

interface TextsWanted {
  readonly equals?: string;
  readonly contains: readonly string[];
  readonly excludes: readonly string[];
  readonly pattern: readonly string[];
}

const matchKeys: ReadonlySet<string> = new Set(['equals', 'contains', 'excludes', 'pattern']);

/** What is no match is the text itself: a number or an object that was captured, too. */
function textsWanted(match: TextMatch | JsonValue): TextsWanted {
  const isMatch = isJsonObject(match as JsonValue) && Object.keys(match as object).every((key) => matchKeys.has(key));
  if (!isMatch) return { equals: asText(match as JsonValue), contains: [], excludes: [], pattern: [] };
  const { equals, contains, excludes, pattern } = match as Readonly<Record<string, JsonValue | undefined>>;
  return {
    ...(equals !== undefined && { equals: asText(equals) }),
    contains: all(contains),
    excludes: all(excludes),
    pattern: all(pattern),
  };
}

/** As a value is written within a text. */
export function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function all(given: JsonValue | undefined): readonly string[] {
  if (given === undefined) return [];
  return (isList(given) ? given : [given]).map(asText);
}

function mismatch(pattern: string, text: string, subject: string): string | undefined {
  const expression = patternOf(pattern);
  if ('problem' in expression) return expression.problem;
  if (expression.value.test(text)) return undefined;
  return `${subject} does not match /${cut(pattern)}/; it is ${shown(text)}.`;
}

/** The text where it is short, else where the part is in it. */
function around(text: string, part: string): string {
  const start = text.indexOf(part);
  if (text.length <= 200 || start < 100) return shown(text);
  return `…${shown(text.slice(start - 80, start + part.length + 80))}`;
}
