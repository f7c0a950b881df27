/** How many steps of a match nobody notices. */
const mostSteps = 5e6;

/** The longest text that a pattern refuses in a time that nobody notices; 0 where that may take for ever. */
export function longestTextFor(pattern: string): number {
  const repeated = countRepetitions(pattern);
  if (repeated === undefined) return 0;
  if (repeated === 0) return Number.POSITIVE_INFINITY;
  // A text of n characters is divided among d repetitions in n^d / d! ways; where a match may begin anywhere, there is one more.
  const isAnchored = pattern.startsWith('^') && !pattern.includes('|');
  const divided = repeated + (isAnchored ? 0 : 1);
  return Math.floor((mostSteps * factorial(divided)) ** (1 / divided));
}

interface Group {
  /** Whether it can match the same text in several ways. */
  isAmbiguous: boolean;
  readonly countBefore: number;
  readonly choicesBefore: number;
}

const mostChoices = 20;

/** undefined where a repetition or a choice is within another repetition, or the pattern refers back to what it matched. */
function countRepetitions(pattern: string): number | undefined {
  const plain = withoutClasses(pattern);
  if (plain === undefined) return undefined;
  const groups: Group[] = [];
  let count = 0;
  let choices = 0;
  for (let at = 0; at < plain.length; at++) {
    const sign = plain[at];
    if (sign === '(') groups.push({ isAmbiguous: false, countBefore: count, choicesBefore: choices });
    else if (sign === '|') {
      choices++;
      noteInGroup();
    } else if (sign === ')') {
      const group = groups.pop();
      if (group?.isAmbiguous) {
        const times = timesOf(plain.slice(at + 1, at + 12));
        if (times === Number.POSITIVE_INFINITY) return undefined;
        count += (count - group.countBefore) * (times - 1);
        const chosen = (choices - group.choicesBefore) * (times - 1);
        if (chosen > mostChoices) return undefined;
        choices += chosen;
        noteInGroup();
      }
    }
    if (timesOf(plain.slice(at, at + 12)) === Number.POSITIVE_INFINITY) {
      count++;
      noteInGroup();
    }
  }
  return count;

  function noteInGroup(): void {
    const group = groups.at(-1);
    if (group) group.isAmbiguous = true;
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

function factorial(number: number): number {
  return number <= 1 ? 1 : number * factorial(number - 1);
}

/** How often at the most what stands before is repeated; once where no repetition follows. */
function timesOf(text: string): number {
  const [, least, comma, most] = /^(?:[*+]|\{(\d*)(,?)(\d*)\})/.exec(text) ?? [undefined, '1', '', ''];
  if (least === undefined || (comma !== '' && most === '')) return Number.POSITIVE_INFINITY;
  return Math.max(Number(most || least), 1);
}
