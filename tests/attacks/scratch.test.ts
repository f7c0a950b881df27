import { existsSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { describeWithEngine, folderWith } from '../engine/harness.js';
import { describeStrict, endOf, kinds, scriptOf } from './strict.js';

const megabyte = 1024 * 1024;
const scratchBytes = 8 * megabyte;
const tooMuch = { megabytes: 24, entries: 50_000 };
const ways = [
  'one_large_file',
  'many_large_files',
  'allocated_file',
  'removed_files',
  'small_files',
  'empty_files',
  'folders',
  'links',
  'symbolic_links',
  'attributes',
];

describeWithEngine('a script that nothing holds back', { profile: 'trusted' }, (engine) => {
  it.each(['many_large_files', 'removed_files', 'small_files'])('stores what it likes (%s)', async (way) => {
    const here = folderWith({});
    const fill = { script: scriptOf('fills_its_folder'), function: 'fill', args: { way, ...tooMuch, here } };
    expect((await engine().call(fill)).value).toMatchObject({ bytes: tooMuch.megabytes * megabyte });
    rmSync(here, { recursive: true });
  });
});

describeStrict('a script in the sandbox', { scratchBytes, concurrency: 1 }, (engine, { name }) => {
  const script = scriptOf('fills_its_folder');

  if (name !== 'without namespaces') {
    it.each(ways)('cannot store more than its scratch folder holds (%s)', async (way) => {
      const { value, code, figures } = await endOf(
        engine().call({ script, function: 'fill', args: { way, ...tooMuch } }),
      );
      expect(figures?.enforced.disk).toBe('enforced');
      if (code !== undefined) return expect(code).toBe('DISK_LIMIT');
      const { bytes, names } = value as { bytes: number; names: number };
      expect(bytes).toBeLessThanOrEqual(scratchBytes * 1.25);
      expect(names).toBeLessThan(tooMuch.entries);
    });
  } else {
    const seen = ways.filter((way) => way !== 'removed_files');
    it.each(seen)('is ended when its scratch folder holds too much (%s)', async (way) => {
      const args = { way, ...tooMuch, stay: true };
      const { value, code, figures } = await endOf(
        engine().call({ script, function: 'fill', args }, { limits: { timeoutMs: 25_000 } }),
      );
      expect(figures?.enforced.disk).toBe('best-effort');
      if (code === undefined) expect(value).toHaveProperty('error');
      else expect(code).toBe('DISK_LIMIT');
    });
  }

  it('finds its folder empty after a call that filled it', async () => {
    for (let call = 0; call < 6; call++) {
      const args = { way: 'one_large_file', megabytes: 6, entries: 0 };
      expect((await engine().call({ script, function: 'fill', args })).value).toMatchObject({ bytes: 6 * megabyte });
    }
  });
});

describe('a scratch folder', () => {
  it.each(kinds)('is gone with its engine ($name)', async ({ settings }) => {
    const engine = createEngine(settings);
    const folder = folderWith({ 'where.py': 'import os\n\ndef where():\n    return os.path.realpath(".")\n' });
    const { value } = await engine.call({ script: `${folder}/where.py`, function: 'where' });
    await engine.close();
    expect(existsSync(String(value))).toBe(false);
  });
});
