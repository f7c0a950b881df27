import type { RunOptions } from '../harness/harness.js';
import type { Report } from '../harness/report.js';
import type { Suite } from '../harness/suite.js';

/** Suites are run one after another; processes for validators stay warm until it is closed. */
export interface Harness {
  run(suites: readonly Suite[], options?: RunOptions): Promise<Report>;
  close(): Promise<void>;
}
