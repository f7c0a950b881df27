export interface ProgressNumbers {
  readonly progress: number;
  readonly total?: number;
}

export interface ProgressCounter {
  /** The numbers for something that is no step of its own, such as a line of output. */
  between(): ProgressNumbers;
  /** The numbers for what a script reported; `isTold` is false where they could not say it. */
  report(done: number, total?: number): ProgressNumbers & { readonly isTold: boolean };
}

/** There has to be room above every number. */
const largest = 1e300;
/** Small beside any step that a script reports, and exact in binary, so that adding it always counts. */
const smallStep = 2 ** -20;

/**
 * MCP wants every progress notification to be above the one before it. What a script reports is passed on as it is where
 * it increases. Everything else, lines and reports that stand still or go back, adds a millionth to the last number. A
 * total that was passed is left out.
 */
export function createProgressCounter(): ProgressCounter {
  let last: number | undefined;
  let lastTotal: number | undefined;

  return {
    between: () => numbers(next()),
    report(done, total) {
      lastTotal = isNumber(total) ? total : undefined;
      const isTold = isNumber(done) && (last === undefined || done > last);
      return { ...numbers(isTold ? done : next()), isTold };
    },
  };

  function next(): number {
    return last === undefined ? 0 : last + Math.max(smallStep, Math.abs(last) * 2 ** -51);
  }

  function numbers(progress: number): ProgressNumbers {
    last = progress;
    return lastTotal !== undefined && progress <= lastTotal ? { progress, total: lastTotal } : { progress };
  }
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined && Math.abs(value) <= largest;
}
