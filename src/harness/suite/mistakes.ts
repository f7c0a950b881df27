import { about, type Path, type Place, type PlacedText } from '../../configfile/place.js';
import { CallerError } from '../../errors.js';

/** What is wrong with a suite: gathered, so that all of it is told at once. */
export interface Mistakes {
  readonly count: number;
  add(path: Path, reason: string): void;
  take(error: CallerError): void;
  /** All as one error, in the order of their places. */
  all(): CallerError;
  throwIfAny(): void;
}

const mostShown = 20;

export function createMistakes(text: Pick<PlacedText, 'wrong'>): Mistakes {
  const errors: CallerError[] = [];
  const told = new Set<string>();
  return {
    get count() {
      return errors.length;
    },
    add(path, reason) {
      const where = JSON.stringify(path);
      if (told.has(where)) return;
      told.add(where);
      errors.push(text.wrong(path, reason));
    },
    take: (error) => errors.push(error),
    all,
    throwIfAny() {
      if (errors.length > 0) throw all();
    },
  };

  function all(): CallerError {
    const sorted = errors.toSorted(byPlace);
    const shown = sorted.slice(0, mostShown).map(({ message }) => message);
    const rest = errors.length - shown.length;
    const lines = [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])];
    const message = lines.length === 0 ? 'This is not the form of a suite' : lines.join('\n');
    return new CallerError('INVALID_SUITE', message, sorted[0]?.details);
  }
}

function byPlace({ details: one }: CallerError, { details: other }: CallerError): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

/** A suite that no file holds. */
export function unplacedText(value: unknown, name: string): PlacedText {
  return {
    value,
    wrong: (path, reason) => new CallerError('INVALID_SUITE', `${name}: ${about(path, reason)}`),
    placeOf: (): Place => ({ line: 1, column: 1 }),
  };
}
