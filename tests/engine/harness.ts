import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { SettingsInput } from '../../src/config.js';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine } from '../../src/engine/work.js';
import { ExecutionError } from '../../src/errors.js';
import type { CallEvent } from '../../src/toolbox.js';

/** Every process that the engine starts, and all that those start, carries this in its environment. */
const markName = 'MCP_EXECUTION_TEST_MARK';
const mark = randomUUID();
process.env[markName] = mark;

export const launchers = process.platform === 'linux' ? (['fork', 'warm'] as const) : (['warm'] as const);

/** The same promises for each way in which processes come to be. */
export function describeLaunchers(
  title: string,
  body: (makeEngine: (settings?: SettingsInput) => Engine, launcher: 'fork' | 'warm') => void,
): void {
  describe.each(launchers)(`${title} (%s)`, (launcher) => {
    const engines: Engine[] = [];
    afterEach(async () => {
      await Promise.all(engines.splice(0).map((engine) => engine.close()));
      expect(processesLeft()).toEqual([]);
    });
    body((settings = {}) => {
      const engine = createEngine({ launcher: settingOf(launcher), ...settings });
      engines.push(engine);
      return engine;
    }, launcher);
  });
}

/** One engine for a whole block of quick promises; nothing is left when the block is over. */
export function describeWithEngine(
  title: string,
  settings: SettingsInput,
  body: (engine: () => Engine, launcher: 'fork' | 'warm') => void,
): void {
  describe.each(launchers)(`${title} (%s)`, (launcher) => {
    let engine: Engine;
    beforeAll(() => {
      engine = createEngine({ launcher: settingOf(launcher), ...settings });
    });
    afterAll(async () => {
      await engine.close();
      expect(processesLeft()).toEqual([]);
    });
    body(() => engine, launcher);
  });
}

/** Scripts that cannot be forked are served too. */
function settingOf(launcher: 'fork' | 'warm'): 'auto' | 'warm' {
  return launcher === 'fork' ? 'auto' : 'warm';
}

/** The command lines of living processes that this test file's engines started, whatever became of their parents. */
export function processesLeft(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${markName}=${mark}`)) return [];
        if (/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        return [];
      }
    });
}

/** The path of a fixture script, each of which is one promise. */
export function fixture(name: string): string {
  return join(dirname(fileURLToPath(import.meta.url)), '..', 'fixtures', name);
}

/** A folder with these files, gone after the tests of the file. */
export function folderWith(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-execution-test-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The error that a call ends with; a call that succeeds fails the test. */
export async function failureOf(call: Promise<unknown>): Promise<ExecutionError> {
  const outcome = await call.then(
    (value) => expect.fail(`expected a failure, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(ExecutionError);
  return outcome as ExecutionError;
}

/** Resolves with the first event that fits; the collector keeps all of them. */
export function collectEvents(): {
  events: CallEvent[];
  onEvent(event: CallEvent): void;
  next(fits: (event: CallEvent) => boolean): Promise<CallEvent>;
} {
  const events: CallEvent[] = [];
  const waiting: { fits: (event: CallEvent) => boolean; resolve(event: CallEvent): void }[] = [];
  return {
    events,
    onEvent(event) {
      events.push(event);
      for (const waiter of waiting.filter(({ fits }) => fits(event))) {
        waiting.splice(waiting.indexOf(waiter), 1);
        waiter.resolve(event);
      }
    },
    next(fits) {
      const found = events.find(fits);
      return found ? Promise.resolve(found) : new Promise((resolve) => waiting.push({ fits, resolve }));
    },
  };
}
