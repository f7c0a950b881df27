import { CallerError } from '../errors.js';

export type Path = readonly (string | number)[];

/** What a config says, and where it says it. */
export interface ConfigText {
  readonly value: unknown;
  /** The error for what stands at a path, or for the name of it. */
  wrong(path: Path, reason: string): CallerError;
}

/** The error for a place in the text of a file. */
export function mistakeAt(file: string, text: string, offset: number, reason: string): CallerError {
  const lines = text.slice(0, offset).split('\n');
  const [line, column] = [lines.length, (lines.at(-1)?.length ?? 0) + 1];
  const message = `${file}, line ${line}, column ${column}: ${reason}`;
  return new CallerError('INVALID_CONFIG', message, { argument: '--config', file, line, column });
}

/** A reason with what it is about before it. */
export function about(path: Path, reason: string): string {
  return path.length === 0 ? reason : `${path.map((step) => shownName(String(step))).join('.')}: ${reason}`;
}

const longestShown = 200;

/** A name of a file that others may have written, so that it stays one word in a message and nothing else. */
export function shownName(name: string): string {
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
  return plain.length > longestShown ? `${plain.slice(0, longestShown)}…` : plain;
}
