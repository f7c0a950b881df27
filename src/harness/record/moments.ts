const dayMs = 24 * 60 * 60 * 1000;
const minuteMs = 60 * 1000;
const dates = /(?<!\d)(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)/g;
const clocks = /(?<!\d)(\d{1,2}):(\d{2})(?!\d)/g;
const numbers = /(?<![\d.])\d{10}(?:\d{3})?(?!\d)/g;
const words = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)/i;

/** Whether a text says what time it is: a date or a clock near now. The next run would find another. */
export function tellsTime(text: string, now: Date): boolean {
  return hasDate(text, now) || hasClock(text, now) || hasTimestamp(text, now) || hasDayInWords(text, now);
}

function hasDate(text: string, now: Date): boolean {
  return [...text.matchAll(dates)].some(([, year, month, day]) => {
    return Math.abs(Date.UTC(Number(year), Number(month) - 1, Number(day)) - now.getTime()) < 2 * dayMs;
  });
}

function hasClock(text: string, now: Date): boolean {
  const minutes = [now.getHours() * 60 + now.getMinutes(), now.getUTCHours() * 60 + now.getUTCMinutes()];
  return [...text.matchAll(clocks)].some(([, hour, minute]) => {
    return minutes.some((at) => Math.abs(Number(hour) * 60 + Number(minute) - at) <= 5);
  });
}

function hasTimestamp(text: string, now: Date): boolean {
  return [...text.matchAll(numbers)].some(([digits]) => {
    const ms = digits.length === 10 ? Number(digits) * 1000 : Number(digits);
    return Math.abs(ms - now.getTime()) < 60 * minuteMs;
  });
}

function hasDayInWords(text: string, now: Date): boolean {
  return words.test(text) && text.includes(String(now.getFullYear())) && text.length < 500;
}
