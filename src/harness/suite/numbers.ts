import * as z from 'zod';
import { wholeReference } from './references.js';
import { duration, durationWords, size, sizeWords } from './units.js';

/** A number of an expectation, which a suite may also name as a value of the run. */
interface NumberForm<T extends z.ZodType<number>> {
  readonly plain: T;
  /** What is expected, for sentences. */
  readonly words: string;
}

export const numberForms = {
  number: { plain: z.number(), words: 'expected a number' },
  whole: { plain: z.int(), words: 'expected a whole number' },
  count: { plain: z.int().nonnegative(), words: 'expected a whole number of 0 or more' },
  time: { plain: duration(), words: durationWords },
  memory: { plain: size(), words: sizeWords },
} as const satisfies Readonly<Record<string, NumberForm<z.ZodType<number>>>>;

export type NumberKind = keyof typeof numberForms;

/** `{{ name }}` in the place of a number. */
type NumberReference = z.output<ReturnType<typeof reference>>;

function reference(words: string) {
  return z.string().regex(wholeReference, words).brand<'number of the run'>();
}

export function numberOrValue<K extends NumberKind>(kind: K) {
  const { plain, words } = numberForms[kind];
  const whole = `${words}, or a value such as {{ name }}`;
  return z.union([plain, reference(whole)], whole);
}

/** The same with numbers alone. Of JSON nothing is a number of this kind. */
export type Filled<T> = [z.core.util.JSONType] extends [T] ? T : FilledEach<T>;

type FilledEach<T> = T extends NumberReference
  ? never
  : T extends object
    ? { readonly [K in keyof T]: Filled<T[K]> }
    : T;
