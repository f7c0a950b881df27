import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { SettingsInput } from '../../src/config.js';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine, RunResult } from '../../src/engine/work.js';
import { type ErrorCode, ExecutionError } from '../../src/errors.js';
import type { JsonValue, RunFigures } from '../../src/toolbox.js';
import { folderWith, processesLeft } from '../engine/harness.js';
import { fixtureText, helpers, strict } from './play.js';

export interface Kind {
  readonly name: string;
  readonly launcher: 'fork' | 'warm';
  readonly settings: SettingsInput;
}

/** The ways in which a strict process comes to be. */
export const kinds: readonly Kind[] = [
  { name: 'fork', launcher: 'fork', settings: strict },
  { name: 'warm', launcher: 'warm', settings: { ...strict, launcher: 'warm' } },
  { name: 'without namespaces', launcher: 'fork', settings: { ...strict, namespaces: 'off' } },
];

/** The same promises for each of them, with one engine for all; nothing is left when they are over. */
export function describeStrict(
  title: string,
  settings: SettingsInput,
  body: (engine: () => Engine, kind: Kind) => void,
): void {
  for (const kind of kinds) {
    describe(`${title} (${kind.name})`, () => {
      let engine: Engine;
      beforeAll(() => {
        engine = createEngine({ idleChildren: 1, ...kind.settings, ...settings });
      });
      afterAll(async () => {
        await engine.close();
        expect(processesLeft()).toEqual([]);
      });
      body(() => engine, kind);
    });
  }
}

/** A copy of a fixture in a folder of its own, with what it imports. */
export function scriptOf(fixture: string): string {
  const names = [`${fixture}.py`, ...helpers];
  return join(folderWith(Object.fromEntries(names.map((name) => [name, fixtureText(name)]))), `${fixture}.py`);
}

/** What a call came to, whether it succeeded or failed. */
export async function endOf(call: Promise<RunResult>): Promise<{
  readonly value?: JsonValue;
  readonly code?: ErrorCode;
  readonly figures?: RunFigures;
}> {
  try {
    const { value, figures } = await call;
    return { value, figures };
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    return { code: error.code, figures: error.details.figures };
  }
}
