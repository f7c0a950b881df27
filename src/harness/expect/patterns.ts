import { type Readable, remembered } from './remembered.js';
import { cut } from './shown.js';

const keptAtMost = 1000;

/** A regular expression of a suite, compiled once. */
export const patternOf = remembered(keptAtMost, (pattern): Readable<RegExp> => {
  try {
    return { value: new RegExp(pattern, 'u') };
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(
      /^Invalid regular expression: /,
      '',
    );
    return { problem: `/${cut(pattern)}/ is no regular expression: ${cut(reason)}.` };
  }
});
