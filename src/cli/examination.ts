import { dirname, resolve } from 'node:path';
import { type LimitName, limitNames, type Settings } from '../config.js';
import type { Engine, ScriptStatus } from '../engine/work.js';
import { LimitError } from '../errors.js';
import { cacheFolder } from '../python/cache-folder.js';
import { type Attempt, type Interpreter, surveyPythons } from '../python/interpreter.js';
import type { Enforcement, RunFigures } from '../toolbox.js';
import { type DescribedFailure, describeFailure, exitCodeOf } from './failure.js';
import type { Terminal } from './terminal.js';
import { packageVersion } from './version.js';

export interface Examination {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly python: { readonly chosen?: Interpreter; readonly origin?: string; readonly tried: readonly Attempt[] };
  readonly cacheFolder?: string;
  readonly testCall: { readonly works: boolean; readonly figures?: RunFigures; readonly error?: DescribedFailure };
  readonly limits: readonly ExaminedLimit[];
  readonly scripts: readonly ExaminedScript[];
  readonly exitCode: number;
}

export interface ExaminedLimit {
  readonly name: LimitName | 'processes';
  readonly value?: number;
  readonly enforcement: Enforcement | 'unknown';
}

export type ExaminedScript = { readonly script: string } & (
  | { readonly status: ScriptStatus | undefined }
  | { readonly error: DescribedFailure; readonly exitCode: number }
);

const machineLacksSomething = 3;

/** Looks at the machine, makes one call to prove that calls work, and imports the given scripts. */
export async function examine(
  settings: Settings,
  scripts: readonly string[],
  terminal: Terminal,
): Promise<Examination> {
  const { environment } = terminal;
  const scriptDir = scripts[0] === undefined ? undefined : dirname(scripts[0]);
  const tried = await surveyPythons({ ...settings, scriptDir, environment });
  const chosen = tried.find(({ problem }) => problem === undefined);
  const proof = chosen === undefined ? noProof : await prove(settings, scripts, terminal);
  return {
    version: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    python: { chosen: chosen?.interpreter, origin: chosen?.origin, tried },
    cacheFolder: await cacheFolder({ ...settings, environment }),
    testCall: proof.testCall,
    limits: examineLimits(settings, proof.testCall.figures),
    scripts: proof.scripts,
    exitCode: proof.testCall.works ? Math.max(0, ...proof.scripts.map(exitCodeOfScript)) : machineLacksSomething,
  };
}

interface Proof {
  readonly testCall: Examination['testCall'];
  readonly scripts: readonly ExaminedScript[];
}

const noProof: Proof = { testCall: { works: false }, scripts: [] };

async function prove(settings: Settings, scripts: readonly string[], terminal: Terminal): Promise<Proof> {
  let engine: Engine | undefined;
  try {
    const started = await terminal.createEngine(settings);
    engine = started;
    terminal.interrupt.addEventListener('abort', () => void started.close(), { once: true });
    const { figures } = await engine.run({ source: 'result(True)' }, { signal: terminal.interrupt });
    const examined: ExaminedScript[] = [];
    for (const script of scripts) examined.push(await examineScript(script, engine));
    terminal.interrupt.throwIfAborted();
    return { testCall: { works: true, figures }, scripts: examined };
  } catch (error) {
    if (terminal.interrupt.aborted) throw new LimitError('CANCELLED', 'The examination was cancelled');
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
  return [...limits, { name: 'processes', enforcement: figures?.enforced.processes ?? 'unknown' }];
}

function exitCodeOfScript(script: ExaminedScript): number {
  return 'error' in script ? script.exitCode : 0;
}
