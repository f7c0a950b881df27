import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSuiteOutput } from '../../../src/services/conformance/output.js';
import { readChecks } from '../../../src/services/conformance/results.js';

const recorded = join(import.meta.dirname, 'recorded');

function outputOf(file: string) {
  let now = 0;
  const output = createSuiteOutput(() => ++now);
  for (const line of readFileSync(join(recorded, file), 'utf8').split('\n')) output.take(line);
  return output;
}

describe('what the official suite says', () => {
  it('tells what was begun, in its order, and what could not be run', () => {
    const { begun, total, unscored } = outputOf('run-0.1.16.txt');
    expect(total).toBe(30);
    expect(begun).toEqual([
      { name: 'server-initialize', atMs: 1 },
      { name: 'ping', atMs: 2, problem: 'TypeError: fetch failed' },
    ]);
    expect(unscored.size).toBe(0);
  });

  it('tells what does not count, and why', () => {
    const { begun, total, unscored } = outputOf('run-0.2.0-alpha.12.txt');
    expect([total, begun.map(({ name }) => name)]).toEqual([48, ['tools-list']]);
    expect([...unscored]).toEqual([
      ['tasks-lifecycle', 'extension'],
      ['http-header-validation', 'pending'],
    ]);
  });

  it('is taken whatever it is, and kept within bounds', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 })), (lines) => {
        const output = createSuiteOutput();
        for (const line of lines) output.take(line);
        expect(output.last.length).toBeLessThanOrEqual(15);
      }),
    );
  });
});

describe('what the official suite writes', () => {
  it('has the checks of a scenario, with what was wrong', async () => {
    const checks = await readChecks(recorded, 'completion-complete');
    expect(checks).toMatchObject([{ id: 'completion-complete', status: 'FAILURE', name: 'CompletionComplete' }]);
    expect(checks?.[0]?.errorMessage).toContain('Prompt test_prompt_with_arguments not found');
  });

  it('is nothing for a scenario that was not run to its end, or whose name begins alike', async () => {
    expect(await readChecks(recorded, 'completion')).toBeUndefined();
    expect(await readChecks(join(recorded, 'none'), 'completion-complete')).toBeUndefined();
  });
});
