import type { Finding } from '../report.js';
import type { TextMatch } from '../suite/schema-expect.js';
import { patternOf } from './patterns.js';
import { bounded, cut, shown } from './shown.js';

/** What of the expected is not so of a text. `subject` begins the sentences, such as `The text`. */
export function checkText(match: TextMatch, text: string, subject = 'The text', kind = 'text'): readonly Finding[] {
  const { equals, contains, excludes, pattern } = typeof match === 'string' ? { equals: match } : match;
  const finding = (message: string, expected: Finding['expected']): Finding => {
    return { kind, message, expected, actual: bounded(text) };
  };
  return [
    ...(equals === undefined || equals === text
      ? []
      : [finding(`${subject} is ${shown(text)}; expected ${shown(equals)}.`, equals)]),
    ...all(contains)
      .filter((part) => !text.includes(part))
      .map((part) => finding(`${subject} does not contain ${shown(part)}; it is ${shown(text)}.`, { contains: part })),
    ...all(excludes)
      .filter((part) => text.includes(part))
      .map((part) =>
        finding(`${subject} contains ${shown(part)}, which it must not; it is ${around(text, part)}.`, {
          excludes: part,
        }),
      ),
    ...all(pattern).flatMap((each) => {
      const problem = mismatch(each, text, subject);
      return problem === undefined ? [] : [finding(problem, { pattern: each })];
    }),
  ];
}

function all(given: string | readonly string[] | undefined): readonly string[] {
  if (given === undefined) return [];
  return typeof given === 'string' ? [given] : given;
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
