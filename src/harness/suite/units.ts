import * as z from 'zod';

const factorsMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const factorsBytes = { B: 1, KB: 1000, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;
const longestMs = 2 ** 31 - 1;

const durationForm = /^(\d+(?:\.\d+)?) ?(ms|s|m|h)?$/;
const sizeForm = /^(\d+(?:\.\d+)?) ?(B|KB|MB|GB|KiB|MiB|GiB)?$/;
export const durationWords = 'expected milliseconds, or a text such as 200ms, 5s, 2m or 1h';
export const sizeWords = 'expected bytes, or a text such as 64KB, 64MB or 1GiB';

/** A time: a number of milliseconds, or a text such as 200ms, 5s, 2m. */
export function duration() {
  return z
    .union([z.number().nonnegative(durationWords), z.string().regex(durationForm, durationWords)], durationWords)
    .transform((given) => toNumber(given, durationForm, factorsMs))
    .refine((ms) => ms <= longestMs, 'is longer than a timer can wait (24 days)');
}

/** An amount of memory: a number of bytes, or a text such as 64MB or 1GiB. */
export function size() {
  return z
    .union([z.number().nonnegative(sizeWords), z.string().regex(sizeForm, sizeWords)], sizeWords)
    .transform((given) => Math.round(toNumber(given, sizeForm, factorsBytes)));
}

function toNumber(given: number | string, form: RegExp, factors: Readonly<Record<string, number>>): number {
  if (typeof given === 'number') return given;
  const [, amount = '0', unit = ''] = form.exec(given) ?? [];
  return Number(amount) * (factors[unit] ?? 1);
}
