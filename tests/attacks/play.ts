import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SettingsInput } from '../../src/config.js';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine } from '../../src/engine/work.js';
import { ExecutionError } from '../../src/errors.js';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';
import { folderWith, launchers, processesLeft } from '../engine/harness.js';
import type { Attack } from './attacks.js';
import { type Stage, useStages } from './stage.js';

type Moment = 'when called' | 'when imported' | 'after taking its sandbox apart';

interface Way {
  readonly succeeded: boolean;
  readonly detail: string;
  readonly errno?: string;
}

/** What came of one attack: what the script says, what the host sees, and how the process ended. */
interface Performance {
  readonly ways: Readonly<Record<string, Way>>;
  readonly error?: ExecutionError;
  readonly becameAnotherProgram: boolean;
  readonly hasLeaked: boolean;
  readonly hasLeftTraces: boolean;
}

/** Strict as it comes; the mark lets the harness find whatever is left. */
export const strict: SettingsInput = { profile: 'strict', allowEnv: ['MCP_EXECUTION_TEST_MARK'] };
export const strictWithoutNamespaces: SettingsInput = { ...strict, namespaces: 'off' };
const small: SettingsInput = { idleChildren: 1, maxScripts: 2, timeoutMs: 10_000, importTimeoutMs: 10_000 };

const fixtures = join(dirname(fileURLToPath(import.meta.url)), 'fixtures');
/** What fixtures import of one another. */
export const helpers = ['once.py', 'ways.py', 'raw.py', 'uring.py'];
const isRoot = process.getuid?.() === 0;
/** What this kernel, or this machine, has not got. */
const notHere = [
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EAFNOSUPPORT',
  'EPROTONOSUPPORT',
  'ESOCKTNOSUPPORT',
  'EADDRNOTAVAIL',
];
/** The exit code by which a program that took the place of a script's process shows itself. */
const programExitCode = 77;

/** The text of a fixture, to be put into the folder of a script. */
export function fixtureText(name: string): string {
  return readFileSync(join(fixtures, name), 'utf8');
}

/** Every attack, with the sandbox off and on, in each way that a process comes to be and runs a script's code. */
export function describeAttacks(attacks: readonly Attack[]): void {
  const nextStage = useStages();
  const here = attacks.filter(({ needs }) => needs === undefined || process.arch === 'x64');

  describe.each(launchers)('a script that nothing holds back (%s)', (launcher) => {
    const engine = useEngine({ ...small, profile: 'trusted', launcher: launcher === 'fork' ? 'auto' : 'warm' });
    for (const moment of ['when called', 'when imported'] as const) {
      for (const attack of here.filter((attack) => succeedsWhenOff(attack, moment, launcher))) {
        it(`can ${attack.does}, ${moment}`, async () => {
          expectSuccess(attack, await perform(engine(), attack, moment, await nextStage(), 'off'));
        });
      }
    }
  });

  describe.each(launchers)('a script in the sandbox (%s)', (launcher) => {
    const engine = useEngine({ ...small, ...strict, launcher: launcher === 'fork' ? 'auto' : 'warm' });
    for (const moment of ['when called', 'when imported'] as const) {
      for (const attack of here.filter((attack) => isPossible(attack, moment) && !isKnown(attack, moment, launcher))) {
        it(`cannot ${attack.does}, ${moment}`, async () => {
          expectFailure(attack, await perform(engine(), attack, moment, await nextStage(), 'on'));
        });
      }
    }
  });

  describe('a script in the sandbox', () => {
    const engine = useEngine({ ...small, ...strict });
    for (const attack of here.filter(({ needsPartsOfCalls }) => !needsPartsOfCalls)) {
      it(`cannot ${attack.does}, after taking its sandbox apart`, async () => {
        const moment = 'after taking its sandbox apart';
        expectFailure(attack, await perform(engine(), attack, moment, await nextStage(), 'on'));
      });
    }
  });

  describe('a script in the sandbox without namespaces', () => {
    const engine = useEngine({ ...small, ...strictWithoutNamespaces });
    for (const attack of here.filter(({ needsNamespaces }) => !needsNamespaces)) {
      it(`cannot ${attack.does}`, async () => {
        expectFailure(attack, await perform(engine(), attack, 'when called', await nextStage(), 'on'));
      });
    }
  });
}

function useEngine(settings: SettingsInput): () => Engine {
  let engine: Engine;
  beforeAll(() => {
    engine = createEngine(settings);
  });
  afterAll(async () => {
    await engine.close();
    expect(processesLeft()).toEqual([]);
  });
  return () => engine;
}

function isPossible({ notWhenImported }: Attack, moment: Moment): boolean {
  return moment !== 'when imported' || !notWhenImported;
}

/** docs/security.md says of these that they succeed. */
function isKnown({ fixture }: Attack, moment: Moment, launcher: 'fork' | 'warm'): boolean {
  return fixture === 'starts_a_process' && moment === 'when imported' && launcher === 'fork';
}

function succeedsWhenOff(attack: Attack, moment: Moment, launcher: 'fork' | 'warm'): boolean {
  const { off } = attack;
  if (off === 'not on this kernel' || !isPossible(attack, moment)) return false;
  if (off === 'with sockets') return launcher === 'warm' || moment === 'when imported';
  if (off === 'for root, when called' && moment === 'when imported') return false;
  return off === undefined || isRoot;
}

async function perform(
  engine: Engine,
  attack: Attack,
  moment: Moment,
  stage: Stage,
  sandbox: 'off' | 'on',
): Promise<Performance> {
  const targets = (await attack.targets?.(stage)) ?? {};
  const before = await attack.trace?.(stage);
  const ended = new AbortController();
  const meanwhile = attack.meanwhile?.(stage, ended.signal);
  const place = sandbox === 'off' ? stage.here : '';
  const { value, said, error } = await settle(
    moment === 'when imported'
      ? callEarly(engine, attack, targets, place)
      : callLate(engine, attack, targets, place, moment),
  );
  ended.abort();
  const seen = await meanwhile;
  const after = await attack.trace?.(stage);
  await stage.ask({ do: 'shared', ...stage.shared });
  return {
    ways: waysOf(value),
    error,
    becameAnotherProgram: error?.details.exitCode === programExitCode,
    hasLeaked: attack.leaks !== undefined && said.includes(attack.leaks(stage)),
    hasLeftTraces: Boolean(seen) || JSON.stringify(before) !== JSON.stringify(after),
  };
}

let everything: string | undefined;

/** One script for all attacks that are made when it is called. */
function callLate(engine: Engine, { fixture }: Attack, targets: JsonObject, here: string, moment: Moment) {
  everything ??= folderWith({
    ...Object.fromEntries(readdirSync(fixtures).map((name) => [name, name.endsWith('.py') ? fixtureText(name) : ''])),
    'when_called.py': `
import importlib
import os

def attack(fixture: str, targets: dict, here: str):
    if here:
        os.chdir(here)
    return importlib.import_module(fixture).attack(**targets)
`,
    'disarmed.py': 'import takes_its_sandbox_apart\nfrom when_called import attack\n',
  });
  const script = join(everything, moment === 'when called' ? 'when_called.py' : 'disarmed.py');
  return engine.call({ script, function: 'attack', args: { fixture, targets, here } });
}

/** A script of its own for each attack that is made while it is imported. */
function callEarly(engine: Engine, { fixture }: Attack, targets: JsonObject, here: string) {
  const names = [`${fixture}.py`, ...helpers];
  const folder = folderWith(Object.fromEntries(names.map((name) => [name, fixtureText(name)])));
  const script = join(folder, `when_imported_${randomUUID().slice(0, 8)}.py`);
  const given = JSON.stringify(JSON.stringify({ targets, here }));
  writeFileSync(
    script,
    `
import json
import os
import ${fixture}
from once import once

given = json.loads(${given})
if given["here"]:
    os.chdir(given["here"])
    came_to = once(given["here"], lambda: ${fixture}.attack(**given["targets"]))
else:
    came_to = ${fixture}.attack(**given["targets"])

def outcome():
    return came_to
`,
  );
  return engine.call({ script, function: 'outcome' });
}

async function settle(
  call: ReturnType<Engine['call']>,
): Promise<{ value?: JsonValue; said: string; error?: ExecutionError }> {
  try {
    const { value, stdout, stderr, logs, files } = await call;
    const sent = files.map(({ data }) => data.toString());
    return { value, said: JSON.stringify([value, stdout, stderr, logs, sent]).replaceAll('\\"', '"') };
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    return { said: `${error.message} ${JSON.stringify(error.details)}`, error };
  }
}

function waysOf(value: JsonValue | undefined): Record<string, Way> {
  return ((value as unknown as { ways?: Record<string, Way> } | undefined)?.ways ?? {}) as Record<string, Way>;
}

/** Every way succeeds that this machine has, and the host sees what the script says it did. */
function expectSuccess(
  attack: Attack,
  { ways, error, becameAnotherProgram, hasLeaked, hasLeftTraces }: Performance,
): void {
  if (becameAnotherProgram) return;
  expect(error).toBeUndefined();
  const tried = Object.entries(ways);
  if (!attack.onlySomeWays) {
    expect(tried.filter(([, way]) => !way.succeeded && !notHere.includes(way.errno ?? ''))).toEqual([]);
  }
  expect(tried.some(([, way]) => way.succeeded)).toBe(true);
  expect(hasLeaked).toBe(attack.leaks !== undefined);
  expect(hasLeftTraces).toBe(attack.trace !== undefined || attack.meanwhile !== undefined);
}

/** No way succeeds, and the host sees nothing. A process that was killed for it, or refused, has failed too. */
function expectFailure(
  attack: Attack,
  { ways, error, becameAnotherProgram, hasLeaked, hasLeftTraces }: Performance,
): void {
  expect({ becameAnotherProgram, hasLeaked, hasLeftTraces }).toEqual({
    becameAnotherProgram: false,
    hasLeaked: false,
    hasLeftTraces: false,
  });
  if (error) return expect(['PERMISSION_DENIED', 'PROCESS_FAILED']).toContain(error.code);
  const tried = Object.entries(ways);
  expect(tried).not.toEqual([]);
  if (!attack.onlyTraceCounts) expect(tried.filter(([, way]) => way.succeeded)).toEqual([]);
}
