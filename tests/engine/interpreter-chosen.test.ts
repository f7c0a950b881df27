import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPython } from '../../src/python/interpreter.js';
import { describeLaunchers, failureOf, folderWith } from './harness.js';

const source = 'import sys\n\n\ndef prefix() -> str:\n    return sys.prefix\n\n\nresult = prefix()\n';

describeLaunchers('an interpreter that is named for one call', (makeEngine) => {
  it('runs that call, and others of the same script are run as before', async () => {
    const folder = folderWith({ 'script.py': source });
    const { executable } = await findPython();
    execFileSync(executable, ['-m', 'venv', '--without-pip', join(folder, 'own')]);
    const python = join(folder, 'own', 'bin', 'python3');
    const script = join(folder, 'script.py');
    const engine = makeEngine({ idleChildren: 1 });
    await engine.warm(script, { python });
    const prefixes = async (options: { python?: string }) => [
      (await engine.call({ script, function: 'prefix' }, options)).value,
      (await engine.call({ script, function: 'prefix', prewarm: false }, options)).value,
      (await engine.run({ path: script }, options)).value,
      (await engine.run({ source }, options)).value,
    ];
    expect(await prefixes({ python })).toEqual(Array(4).fill(join(folder, 'own')));
    expect(await prefixes({})).not.toContain(join(folder, 'own'));
  });

  it('is refused where it is none, and never passed over', async () => {
    const engine = makeEngine();
    const python = join(folderWith({}), 'python');
    expect((await failureOf(engine.run({ source: 'pass' }, { python }))).code).toBe('PYTHON_NOT_FOUND');
    expect((await failureOf(engine.warm(undefined, { python }))).code).toBe('PYTHON_NOT_FOUND');
    for (const wrong of ['', 5]) {
      const options = { python: wrong } as { python: string };
      expect((await failureOf(engine.run({ source: 'pass' }, options))).message).toMatch(/^python must be/);
    }
  });
});
