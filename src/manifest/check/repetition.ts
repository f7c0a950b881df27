/** The longest texts that a pattern with so many repetitions without an end is tried on: more repetitions, more ways. */
const longestTexts = [Number.POSITIVE_INFINITY, 100_000, 5000, 500];

/** The longest text that a pattern refuses in a time that nobody notices; 0 where that may take for ever. */
export function longestTextFor(pattern: string): number {
  const repeated = countRepetitions(pattern);
  if (repeated === undefined) return 0;
  return longestTexts[Math.min(repeated, longestTexts.length - 1)] ?? 0;
}

/** undefined where a repetition is within another, a choice is repeated, or the pattern refers back to what it matched. */
function countRepetitions(pattern: string): number | undefined {
  const plain = withoutClasses(pattern);
  if (plain === undefined) return undefined;
  /** For each open group: whether it can match the same text in several ways. */
  const groups: boolean[] = [];
  let count = 0;
  for (let at = 0; at < plain.length; at++) {
    const sign = plain[at];
    if (sign === '(') groups.push(false);
    else if (sign === '|') noteInGroup();
    else if (sign === ')') {
      const isAmbiguous = groups.pop() ?? false;
      if (isAmbiguous && isEndless(plain.slice(at + 1))) return undefined;
      if (isAmbiguous) noteInGroup();
    }
    if (isEndless(plain.slice(at, at + 12))) {
      count++;
      noteInGroup();
    }
  }
  return count;

  function noteInGroup(): void {
    if (groups.length > 0) groups[groups.length - 1] = true;
  }
}

/** The pattern with a letter for each class and each escaped character; undefined where it refers back. */
function withoutClasses(pattern: string): string | undefined {
  if (/\\(?:[1-9]|k<)|\(\?P=/.test(pattern)) return undefined;
  return pattern
    .replace(/\\(?:p\{[^}]*\}|u\{[^}]*\}|.)/gsu, 'x')
    .replace(/\[\^?\]?[^\]]*\]/g, 'x')
    .replace(/\(\?(?:[:=!]|<[=!]|P?<\w+>)/g, '(');
}

function isEndless(text: string): boolean {
  return /^(?:[*+]|\{\d*,\})/.test(text);
}
