import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { createUploadWork } from '../../src/services/upload-work.js';
import { folderWith } from '../engine/harness.js';

const log = createLog({ level: 'silent' });
const settings = parseSettings({ cacheDir: folderWith({}) });

describe('the scripts of an upload', () => {
  it('are read, and their tools told', async () => {
    const folder = folderWith({ 'calc.py': 'def add(a: int, b: int) -> int:\n    return a + b\n' });
    const { tools } = await createUploadWork({ settings, log }).explore([folder], {});
    expect(tools.map(({ name }) => name)).toEqual(['add']);
  });

  it('that take too long to read, all together, are refused', async () => {
    const folder = folderWith({ 'slow.py': 'def add(a: int) -> int:\n    return a\n' });
    await expect(createUploadWork({ settings, log, readMs: 1 }).explore([folder], {})).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });
});
