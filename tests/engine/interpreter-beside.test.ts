import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { findPython } from '../../src/python/interpreter.js';
import { describeLaunchers, folderWith } from './harness.js';

const script = 'import sys\n\n\ndef prefix() -> str:\n    return sys.prefix\n\n\nresult = prefix()\n';

describeLaunchers('a script with an interpreter beside it', (makeEngine) => {
  it('is run by that one, whatever is asked of it', async () => {
    vi.stubEnv('VIRTUAL_ENV', '');
    const folder = folderWith({ 'script.py': script });
    const { executable } = await findPython();
    execFileSync(executable, ['-m', 'venv', '--without-pip', join(folder, '.venv')]);
    const engine = makeEngine({ idleChildren: 1 });
    const path = join(folder, 'script.py');
    const values = [
      await engine.call({ script: path, function: 'prefix' }),
      await engine.call({ script: path, function: 'prefix', prewarm: false }),
      await engine.run({ path }),
    ].map(({ value }) => value);
    expect(values).toEqual(Array(3).fill(join(folder, '.venv')));
    const elsewhere = await engine.run({ path: join(folderWith({ 'script.py': script }), 'script.py') });
    expect(elsewhere.value).not.toBe(join(folder, '.venv'));
    vi.unstubAllEnvs();
  });
});
