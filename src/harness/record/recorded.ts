import type { Action } from './action.js';
import type { ExpectationInput } from './observed.js';

/** A request that was answered, with the values as they were. */
export interface Recorded {
  readonly action: Action;
  readonly expectation: ExpectationInput;
  /** Its number among the requests. */
  readonly order: number;
  /** How many requests had been made when the answer came. */
  readonly answeredAfter: number;
}
