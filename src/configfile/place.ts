import { CallerError } from '../errors.js';

export type Path = readonly (string | number)[];

/** What a config says, and where it says it. */
export interface ConfigText {
  readonly value: unknown;
  /** The error for what stands at a path, or for the name of it. */
  wrong(path: Path, reason: string): CallerError;
}

/** The same of a text whose places are asked for one by one. */
export interface PlacedText extends ConfigText {
  placeOf(path: Path): Place;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What the text is of, and so what is wrong when it is. */
export type TextCode = 'INVALID_CONFIG' | 'INVALID_SUITE';

/** The error for a place in the text of a file. */
export function mistakeAt(
  file: string,
  text: string,
  offset: number,
  reason: string,
  code: TextCode = 'INVALID_CONFIG',
): CallerError {
  const { line, column } = placesOf(text)(offset);
  const message = `${file}, line ${line}, column ${column}: ${reason}`;
  return new CallerError(code, message, { ...argumentOf(code), file, line, column });
}

/** The flag that names such a file; a suite is named without one. */
export function argumentOf(code: TextCode): { readonly argument?: string } {
  return code === 'INVALID_CONFIG' ? { argument: '--config' } : {};
}

/** Where offsets of a text are, for many of them. */
export function placesOf(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** A reason with what it is about before it. */
export function about(path: Path, reason: string): string {
  return path.length === 0 ? reason : `${path.map((step) => shownName(String(step))).join('.')}: ${reason}`;
}

const longestShown = 200;

/** A name of a file that others may have written, so that it stays one word in a message and nothing else. */
export function shownName(name: string): string {
  // One of blanks could not be seen.
  if (name.trim() === '') return JSON.stringify(name);
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
  return plain.length > longestShown ? `${plain.slice(0, longestShown)}…` : plain;
}
