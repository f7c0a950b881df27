import { rm } from 'node:fs/promises';
import type { ServerTarget } from '../../client/target.js';
import { CallerError } from '../../errors.js';
import type { CaseReport } from '../../harness/report.js';
import type { ConformanceSpec } from '../../harness/suite/schema-checks.js';
import type { Log } from '../../log.js';
import { createRedactor } from '../../redact.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { readBaseline } from './baseline.js';
import { findProgram } from './program.js';
import { findingOfError, notRunReport, problemReport } from './reports.js';
import { runScenarios } from './scenarios.js';

export interface ConformanceOptions {
  /** Of the files that the suite names, by their paths as written. */
  readonly texts: ReadonlyMap<string, string>;
  /** An interpreter for the guard that ends a server's whole tree. */
  readonly python?: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly cacheDir?: string;
  readonly log: Log;
  /** Told what takes time, such as installing. */
  readonly note: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** Runs the official conformance suite against a server: a report for each scenario. Whatever is in the way is a report too. */
export async function runConformance(
  spec: ConformanceSpec,
  target: ServerTarget,
  options: ConformanceOptions,
): Promise<readonly CaseReport[]> {
  const secrets = (target.kind === 'command' ? target.env : target.headers) ?? {};
  const redact = createRedactor(secrets, Object.keys(secrets)).text;
  try {
    refuseHeaders(target);
    const baseline = await readBaseline(spec.expected_failures, options.texts);
    const program = await findProgram(spec.revision, options);
    return await withFolder((folder) =>
      withAddress(target, options, (url) => runScenarios(spec, { url, baseline, program, folder, redact, ...options })),
    );
  } catch (error) {
    if (options.signal?.aborted) return [notRunReport(undefined, 'the run was interrupted')];
    return [problemReport(undefined, findingOfError(error, redact))];
  }
}

function refuseHeaders(target: ServerTarget): void {
  if (target.kind !== 'url' || Object.keys(target.headers ?? {}).length === 0) return;
  const message =
    'it cannot send the headers that this server is given; test a server that needs none, such as one that is started by its command';
  throw new CallerError('INVALID_SUITE', message);
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder();
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The suite speaks HTTP alone, so that a command is put behind an address of this machine. */
async function withAddress<T>(
  target: ServerTarget,
  options: Pick<ConformanceOptions, 'log' | 'python'>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (target.kind === 'url') return work(target.url);
  const { openBridge } = await import('./bridge/bridge.js');
  const bridge = await openBridge(target, options);
  try {
    return await work(bridge.url);
  } finally {
    await bridge.close();
  }
}
