import type { Log } from '../log.js';
import type { OpenServer } from '../testedserver.js';
import type { CaseReport, RunEvent } from './report.js';
import type { ConformanceSpec } from './suite/schema-checks.js';
import type { Validators } from './validators.js';

/** What a run of suites is told. */
export interface RunOptions {
  /** Cases whose id contains this, or matches it where it is a /pattern/. */
  readonly filter?: string;
  /** Cases that have one of these tags. */
  readonly tags?: readonly string[];
  /** How many failed cases end the run; 0: none does. */
  readonly bail?: number;
  /** Cases at once, in place of what the suites say. */
  readonly parallel?: number;
  /** How often every case is run, in place of what it says. */
  readonly repeat?: number;
  readonly updateSnapshots?: boolean;
  /** Snapshots that are not there are a failure and not written. For CI. */
  readonly refuseNewSnapshots?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

/** What the harness needs of the rest, for one suite. Everything that it opens is closed before the suite is over. */
export interface SuiteParts {
  readonly open: OpenServer;
  /** What the report shows of the server, without secrets. */
  readonly kind: 'command' | 'url' | 'script' | 'config';
  readonly shown: string;
  /** What the report notes of it before anything is run. */
  readonly notes?: readonly string[];
  /** Takes what is secret about the server out of a text. */
  readonly redact: (text: string) => string;
  readonly validators: Validators;
  /** Runs the official conformance suite against the server; a report for each of its scenarios. */
  readonly conformance: (spec: ConformanceSpec, options: ConformanceRun) => Promise<readonly CaseReport[]>;
  /** A folder of the suite alone, where its files are; removed afterwards by whoever made it. */
  readonly temp: string;
  readonly log: Log;
}

export interface ConformanceRun {
  /** Told of what takes long, such as an installation. */
  readonly note: (message: string) => void;
  readonly signal?: AbortSignal;
}
