import type { JsonObject } from '../toolbox.js';
import type { CaseSpec, SuiteDocument } from './suite/schema.js';

/** A suite that was read: its form is right, its files are there, and its cases can be put in an order. */
export interface Suite {
  /** The file, as it was given; a name where there is none. */
  readonly file: string;
  /** What relative paths in it start from, absolute. */
  readonly folder: string;
  readonly name: string;
  readonly document: SuiteDocument;
  /** In the order of the file, those with `each` once per row. */
  readonly cases: readonly SuiteCase[];
  /** The texts of files that it names (validators, schemas, baselines), by the path as it is written in the suite. */
  readonly texts: ReadonlyMap<string, string>;
  readonly place: Place;
  /** Where a built-in check is asked for. */
  readonly placeOfCheck?: (name: string) => Place;
}

export interface SuiteCase {
  /** Unique in the suite: the name, and for a row of `each` what tells it from the others. */
  readonly id: string;
  readonly spec: CaseSpec;
  readonly row?: JsonObject;
  /** Ids of all cases that have to pass before. */
  readonly after: readonly string[];
  readonly place: Place;
}

/** Where something stands in the suite file. */
export interface Place {
  readonly line: number;
  readonly column: number;
}
