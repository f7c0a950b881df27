import { stripVTControlCharacters } from 'node:util';

/** What commands a terminal, turns the direction of text, breaks lines unseen, or is no character at all. */
const unseen =
  /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\u{e0000}-\u{e007f}]/gu;

/** Foreign text as it is, with everything that does more than to be read written in digits. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unseen, inDigits);
}

/** The same in one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]+/g, ' ');
}

/** A line of a comparison, where blanks may be all that differs. */
export function exactLine(text: string): string {
  return visible(text.replaceAll('\t', '\\t'))
    .replace(/[\u00a0\u00ad\u200b\u2060]/g, inDigits)
    .replace(/ +$/, (blanks) => '·'.repeat(blanks.length));
}

/** A line that a program wrote for a terminal: its colours are of no interest. */
export function loggedLine(text: string): string {
  return visibleLine(stripVTControlCharacters(text)).trimEnd();
}

/** The beginning of a text, cut between characters, and how much is missing. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = beginningOf(text, maxLength);
  return `${kept}… (${text.length - kept.length} more characters)`;
}

export function beginningOf(text: string, maxLength: number): string {
  const last = text.charCodeAt(maxLength - 1);
  const splits = last >= 0xd800 && last < 0xdc00;
  return text.slice(0, splits ? maxLength - 1 : maxLength);
}

function inDigits(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
