import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { startGuardAhead } from '../client/command/guard-ahead.js';
import type { Settings } from '../config.js';
import { CallerError } from '../errors.js';
import type { RunOptions, SuiteParts } from '../harness/harness.js';
import type { Report } from '../harness/report.js';
import { runSuites } from '../harness/run/run.js';
import type { Suite } from '../harness/suite.js';
import type { Log } from '../log.js';
import { mcpExecPath, packageVersion } from '../python/package.js';
import { guardPython } from './guard-python.js';
import { makeTemporaryFolder, removeAbandonedFolders } from './temporary-folder.js';
import { serverOf } from './tested-server.js';
import { createValidators } from './validators.js';

/** Suites are run one after another. */
export interface Harness {
  run(suites: readonly Suite[], options?: RunOptions): Promise<Report>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  /** Of validators. */
  readonly engine: Settings;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
}

/** What suites need of the client and of the engine. Processes for validators stay warm until it is closed. */
export async function createHarness({ engine, environment, log }: HarnessOptions): Promise<Harness> {
  const validatorsOf = new Map<string, ReturnType<typeof createValidators>>();
  const python = await guardPython(engine, environment);
  // Python comes up while suites are read.
  const ahead = python === undefined || process.platform !== 'linux' ? undefined : startGuardAhead(python);

  return {
    run: (suites, options = {}) => runSuites(suites, options, { withParts, version: packageVersion() }),
    async close() {
      await Promise.all([...validatorsOf.values()].map((validators) => validators.close()));
      validatorsOf.clear();
      ahead?.close();
      await removeAbandonedFolders(log);
    },
  };

  async function withParts<T>(suite: Suite, use: (parts: SuiteParts) => Promise<T>): Promise<T> {
    const temp = await makeFolder();
    try {
      await writeFiles(suite, temp);
      const { open, withTarget, kind, shown, notes, redact } = await serverOf(suite, {
        environment,
        python,
        ahead,
        mcpExec: { command: process.execPath, args: [mcpExecPath()] },
        log: asDetail(log),
        temp,
        secretNames: engine.secrets,
      });
      const validators = validatorsIn(suite.folder);
      return await use({ open, kind, shown, notes, redact, validators, conformance, temp, log });

      async function conformance(...[spec, how]: Parameters<SuiteParts['conformance']>) {
        const { runConformance } = await import('./conformance/conformance.js');
        const { cacheDir } = engine;
        const { texts } = suite;
        const options = { texts, python, environment, cacheDir, log, ...how };
        return withTarget((target) => runConformance(spec, target, options), how.signal);
      }
    } finally {
      await remove(temp, log);
    }
  }

  /** Paths of permissions start from the folder of the suite, so that suites of different folders share no processes. */
  function validatorsIn(folder: string) {
    const known = validatorsOf.get(folder);
    if (known) return known;
    const resolvePath = (path: string) => resolve(folder, path);
    const made = createValidators({ settings: engine, resolvePath, log });
    validatorsOf.set(folder, made);
    return made;
  }
}

async function makeFolder(): Promise<string> {
  try {
    return await makeTemporaryFolder();
  } catch (cause) {
    const advice = 'set TMPDIR to a folder that can be written to';
    const message = `The folder for temporary files ${tmpdir()} cannot be used: ${reasonOf(cause)}; ${advice}`;
    throw new CallerError('INVALID_SETTING', message, { setting: 'TMPDIR' }, { cause });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is left there is no reason to lose the report. */
async function remove(temp: string, log: Log): Promise<void> {
  try {
    await rm(temp, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    log.warn('the temporary folder of a suite could not be removed', { folder: temp, error });
  }
}

/** What becomes of a server is the report's to tell. */
function asDetail(log: Log): Log {
  return {
    ...log,
    warn: log.debug,
    child: (fields) => asDetail(log.child(fields)),
    script: { ...log.script, warn: log.script.debug },
  };
}

async function writeFiles({ document, file }: Suite, temp: string): Promise<void> {
  for (const [name, text] of Object.entries(document.files)) {
    const path = resolve(temp, name);
    if (!path.startsWith(join(temp, '/')) && dirname(path) !== temp) {
      throw new CallerError('INVALID_SUITE', `${file}: files: ${name} leads out of the folder {{ temp }}`, { file });
    }
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    } catch (cause) {
      const reason = `${file}: files: ${name} cannot be written: ${reasonOf(cause)}`;
      throw new CallerError('INVALID_SUITE', reason, { file }, { cause });
    }
  }
}
