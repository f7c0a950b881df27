import { dirname, resolve } from 'node:path';
import { type LimitName, limitNames, type Settings } from '../config.js';
import type { Engine, ScriptStatus } from '../engine/work.js';
import { CallerError, LimitError } from '../errors.js';
import { type Abilities, findAbilities } from '../python/abilities.js';
import { cacheFolder } from '../python/cache-folder.js';
import { type Attempt, type Interpreter, surveyPythons } from '../python/interpreter.js';
import { packageVersion } from '../python/package.js';
import type { Enforcement, RunFigures } from '../toolbox.js';
import { advise } from './advice.js';
import { type DescribedFailure, describeFailure, exitCodeOf } from './failure.js';
import { type ExaminedProfile, examineProfiles } from './profiles.js';
import { findSurroundings, type Surroundings } from './surroundings.js';
import type { Terminal } from './terminal.js';

export interface Examination {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly surroundings: Surroundings;
  readonly python: { readonly chosen?: Interpreter; readonly origin?: string; readonly tried: readonly Attempt[] };
  readonly cacheFolder?: string;
  readonly testCall: { readonly works: boolean; readonly figures?: RunFigures; readonly error?: DescribedFailure };
  /** Not there where no Python could be asked, or it did not say. */
  readonly abilities?: Abilities;
  readonly profiles: readonly ExaminedProfile[];
  readonly limits: readonly ExaminedLimit[];
  readonly scripts: readonly ExaminedScript[];
  readonly advice: readonly string[];
  readonly exitCode: number;
}

export interface ExaminedLimit {
  readonly name: LimitName | 'processes' | 'maxProcesses' | 'scratchBytes';
  readonly value?: number;
  readonly enforcement: Enforcement | 'unknown';
}

export type ExaminedScript = { readonly script: string } & (
  | { readonly status: ScriptStatus | undefined }
  | { readonly error: DescribedFailure; readonly exitCode: number }
);

const machineLacksSomething = 3;

/** Looks at the machine, makes calls that prove what it can do, and imports the given scripts. */
export async function examine(
  settings: Settings,
  scripts: readonly string[],
  terminal: Terminal,
): Promise<Examination> {
  const { environment } = terminal;
  const scriptDir = scripts[0] === undefined ? undefined : dirname(scripts[0]);
  const tried = await surveyPythons({ ...settings, scriptDir, environment });
  const chosen = tried.find(({ problem }) => problem === undefined);
  const interpreter = chosen?.interpreter;
  const surroundings = findSurroundings(environment);
  const proof = interpreter === undefined ? noProof : await prove(settings, scripts, terminal);
  const abilities = interpreter === undefined ? undefined : await findAbilities(interpreter, environment);
  return {
    version: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    surroundings,
    python: { chosen: interpreter, origin: chosen?.origin, tried },
    cacheFolder: await cacheFolder({ ...settings, environment }),
    testCall: proof.testCall,
    abilities,
    profiles: proof.profiles,
    limits: examineLimits(settings, proof.testCall.figures),
    scripts: proof.scripts,
    advice:
      abilities?.linux && interpreter ? advise({ abilities, surroundings, executable: interpreter.executable }) : [],
    exitCode: proof.testCall.works ? Math.max(0, ...proof.scripts.map(exitCodeOfScript)) : machineLacksSomething,
  };
}

interface Proof {
  readonly testCall: Examination['testCall'];
  readonly profiles: readonly ExaminedProfile[];
  readonly scripts: readonly ExaminedScript[];
}

const noProof: Proof = { testCall: { works: false }, profiles: [], scripts: [] };

async function prove(settings: Settings, scripts: readonly string[], terminal: Terminal): Promise<Proof> {
  const called = await tryCalls(settings, scripts, terminal);
  const profiles = terminal.interrupt.aborted ? [] : await examineProfiles(settings, terminal);
  if (terminal.interrupt.aborted) throw new LimitError('CANCELLED', 'The examination was cancelled');
  return { ...called, profiles };
}

/** One call, and the import of each script, with the settings as they were given. */
async function tryCalls(
  settings: Settings,
  scripts: readonly string[],
  terminal: Terminal,
): Promise<Omit<Proof, 'profiles'>> {
  let engine: Engine | undefined;
  try {
    const started = await terminal.createEngine(settings);
    engine = started;
    terminal.interrupt.addEventListener('abort', () => void started.close(), { once: true });
    const { figures } = await engine.run({ source: 'result(True)' }, { signal: terminal.interrupt });
    const examined: ExaminedScript[] = [];
    for (const script of scripts) examined.push(await examineScript(script, engine));
    return { testCall: { works: true, figures }, scripts: examined };
  } catch (error) {
    if (error instanceof CallerError) throw error;
    return { testCall: { works: false, error: describeFailure(error) }, scripts: [] };
  } finally {
    await engine?.close();
  }
}

async function examineScript(script: string, engine: Engine): Promise<ExaminedScript> {
  try {
    await engine.warm(script);
    return { script, status: engine.status().scripts.find((status) => resolve(status.script) === resolve(script)) };
  } catch (error) {
    return { script, error: describeFailure(error), exitCode: exitCodeOf(error) };
  }
}

function examineLimits(settings: Settings, figures: RunFigures | undefined): readonly ExaminedLimit[] {
  const byTheKernel: Partial<Record<LimitName, Enforcement | undefined>> = {
    cpuMs: figures?.enforced.cpu,
    memoryBytes: figures?.enforced.memory,
    maxOpenFiles: figures?.enforced.cpu,
  };
  const limits = limitNames.map((name): ExaminedLimit => {
    const enforcement = name in byTheKernel ? (byTheKernel[name] ?? 'unknown') : 'enforced';
    return { name, value: settings[name], enforcement };
  });
  return [...limits, ...limitsOfProfile(settings, figures)];
}

/** Only the strict profile knows how many processes a call may have, and where it writes. */
function limitsOfProfile(settings: Settings, figures: RunFigures | undefined): readonly ExaminedLimit[] {
  const { processes = 'unknown', disk = 'unknown' } = figures?.enforced ?? {};
  if (figures?.profile !== 'strict') return [{ name: 'processes', enforcement: processes }];
  return [
    { name: 'maxProcesses', value: settings.maxProcesses, enforcement: processes },
    { name: 'scratchBytes', value: settings.scratchBytes, enforcement: disk },
  ];
}

function exitCodeOfScript(script: ExaminedScript): number {
  return 'error' in script ? script.exitCode : 0;
}
