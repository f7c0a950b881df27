import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { discover } from '../../src/manifest/discover.js';
import { findPython } from '../../src/python/interpreter.js';
import { describeLaunchers, folderWith } from '../engine/harness.js';

describeLaunchers('what stands beside a script that is not trusted', (createOnLauncher) => {
  it('as an interpreter is not run, neither by discovery nor by a strict call', async () => {
    const folder = folderWith({ 'script.py': 'def add(a: int, b: int) -> int:\n    return a + b' });
    const trace = join(folder, 'it-ran');
    await mkdir(join(folder, '.venv/bin'), { recursive: true });
    await writeFile(join(folder, '.venv/pyvenv.cfg'), '');
    for (const name of ['python', 'python3']) {
      await writeFile(join(folder, '.venv/bin', name), `#!/bin/sh\ntouch '${trace}'\nexec python3 "$@"\n`);
      await chmod(join(folder, '.venv/bin', name), 0o755);
    }
    const script = join(folder, 'script.py');
    expect((await discover(script, { useCache: false })).tools).toHaveLength(1);
    const engine = createOnLauncher({ profile: 'strict' });
    const { value } = await engine.call({ script, function: 'add', args: { a: 1, b: 2 } });
    expect(value).toBe(3);
    expect(existsSync(trace)).toBe(false);
  });

  it('as packages runs nothing before it is in the sandbox, and is imported there', async () => {
    const folder = folderWith({ 'script.py': 'import charm\n\ndef tell():\n    return charm.SAID' });
    const packages = folderWith({
      'charm.py': 'SAID = []',
      'charm.pth':
        'import charm, os; charm.SAID.append(sorted(os.listdir("/proc/self/fd"))[:1]); open("/tmp/../tmp/it-ran", "w")',
    });
    const { executable } = await findPython();
    const engine = createOnLauncher({ profile: 'strict' });
    const work = { script: join(folder, 'script.py'), function: 'tell' };
    const { value } = await engine.call(work, { python: { executable, packages } });
    expect(value).toEqual([['0']]);
    expect(readdirSync('/tmp')).not.toContain('it-ran');
  });
});
