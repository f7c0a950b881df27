import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { findPython } from '../../../src/python/interpreter.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { describeWithEngine, fixture } from '../harness.js';

const { executable } = await findPython();
const plots = it.skipIf(!has('matplotlib'));
const pictures = it.skipIf(!has('PIL'));

describeWithEngine('A picture of a package', { idleChildren: 1 }, (engine) => {
  const call = (script: string, name: string, args: JsonObject = {}) =>
    engine().call({ script: fixture(`media/${script}`), function: name, args });
  const typesOf = (files: readonly { name: string; mimeType: string; data: Buffer }[]) =>
    files.map(({ name, mimeType, data }) => [name, mimeType, data.subarray(1, 4).toString()]);
  const figure = (number: number) => [`figure-${number}.png`, 'image/png', 'PNG'];

  plots(
    'comes with the result when plt.show() shows it, and is closed then (matplotlib is not installed for this Python)',
    async () => {
      const { value, files, stderr } = await call('shows_plots.py', 'show', { times: 2 });
      expect([value, typesOf(files), stderr]).toEqual([0, [figure(1), figure(2)], '']);
    },
  );

  plots('comes from a whole script that shows it (matplotlib is not installed for this Python)', async () => {
    const { stdout, files } = await engine().run({ path: fixture('media/shows_plots.py') });
    expect([stdout, typesOf(files)]).toEqual(['shown\n', [figure(1)]]);
  });

  plots('comes with the result when its figure is returned (matplotlib is not installed for this Python)', async () => {
    const { value, files } = await call('shows_plots.py', 'give');
    expect([value, typesOf(files)]).toEqual([null, [figure(1)]]);
  });

  plots('comes once for its figure and all its axes (matplotlib is not installed for this Python)', async () => {
    const { value, files } = await call('shows_plots.py', 'give_both');
    expect(value).toEqual({ figure: 'figure-1.png', axes: ['figure-1.png', 'figure-1.png'] });
    expect(typesOf(files)).toEqual([figure(1)]);
  });

  plots(
    'comes once from an animation that is never waited for (matplotlib is not installed for this Python)',
    async () => {
      expect(typesOf((await call('shows_plots.py', 'animate')).files)).toEqual([figure(1)]);
    },
  );

  plots(
    'leaves the processes that a script starts as they were (matplotlib is not installed for this Python)',
    async () => {
      expect((await call('shows_plots.py', 'backend')).value).toBe('module://mcp_execution._matplotlib');
      expect((await call('shows_plots.py', 'backend_of_a_process')).value).not.toContain('mcp_execution');
    },
  );

  pictures.each(['RGB', 'RGBA', '1', 'P', 'CMYK', 'HSV', 'F', 'LAB', 'I;16'])(
    'of PIL comes with the result in mode %s (PIL is not installed for this Python)',
    async (mode) => {
      const { value, files } = await call('returns_pil_images.py', 'picture', { mode });
      expect([value, typesOf(files)]).toEqual([null, [['image-1.png', 'image/png', 'PNG']]]);
    },
  );

  pictures('of PIL stands by its name at any depth (PIL is not installed for this Python)', async () => {
    const { value, files } = await call('returns_pil_images.py', 'pair');
    expect([value, files.length]).toEqual([['image-1.png', { again: 'image-1.png' }], 1]);
  });
});

function has(module: string): boolean {
  try {
    execFileSync(executable, ['-c', `import ${module}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
