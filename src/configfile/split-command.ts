import { CallerError } from '../errors.js';

/** A command line as a shell would split it: by space, with quotes and backslashes, and nothing is ever replaced. */
export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '\\' && quote !== "'" && at + 1 < text.length && escapes(text.charAt(at + 1), quote)) {
      word = `${word ?? ''}${text.charAt(++at)}`;
    } else if (letter === quote) {
      quote = undefined;
    } else if (quote === undefined && (letter === '"' || letter === "'")) {
      quote = letter;
      word ??= '';
    } else if (quote === undefined && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = `${word ?? ''}${letter}`;
    }
  }
  if (quote !== undefined) {
    throw new CallerError('INVALID_ARGUMENTS', `A quote ${quote} in ${JSON.stringify(text)} is not closed`);
  }
  return word === undefined ? words : [...words, word];
}

/** Within double quotes a backslash stands for itself, but before these. */
function escapes(next: string, quote: '"' | "'" | undefined): boolean {
  return quote === undefined ? true : next === '"' || next === '\\';
}
