import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { findPython } from '../../src/python/interpreter.js';
import { describeWithEngine, failureOf, fixture } from './harness.js';

const { executable } = await findPython();

describeWithEngine('A package that a script uses', { idleChildren: 1 }, (engine) => {
  it.skipIf(!has('pydantic'))(
    'pydantic: models are validated and returned (pydantic is not installed for this Python)',
    async () => {
      const older = { script: fixture('uses_pydantic.py'), function: 'older' };
      const { value } = await engine().call({ ...older, args: { person: { fullName: 'Al', age: 41 }, by: 2 } });
      expect(value).toEqual({ fullName: 'Al', age: 43 });
      const error = await failureOf(engine().call({ ...older, args: { person: { fullName: '' } } }));
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', details: { argument: 'person.fullName' } });
    },
  );

  it.skipIf(!has('numpy'))('numpy: arrays are returned as lists (numpy is not installed for this Python)', async () => {
    const work = { script: fixture('uses_numpy.py'), function: 'statistics', args: { values: [1, 2, 3] } };
    expect((await engine().call(work)).value).toEqual({ mean: 2, doubled: [2, 4, 6] });
  });

  it.skipIf(!has('numpy'))(
    'numpy: draws differ from call to call (numpy is not installed for this Python)',
    async () => {
      const work = { script: fixture('uses_numpy.py'), function: 'draw' };
      const draws = await Promise.all([1, 2, 3].map(async () => (await engine().call(work)).value));
      expect(new Set((draws as number[][]).flat()).size).toBe(6);
    },
  );
});

function has(module: string): boolean {
  try {
    execFileSync(executable, ['-c', `import ${module}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
