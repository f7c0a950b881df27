import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SuiteInput } from '../../src/harness/suite/schema.js';
import { runSuite } from '../../src/services/run-suite.js';
import { folderWith } from '../engine/harness.js';

afterEach(() => vi.unstubAllEnvs());

const cases = [{ name: 'lists', list: 'tools' as const }];
const suite: SuiteInput = { version: 1, server: { command: process.execPath }, cases };

describe('A suite whose folder {{ temp }} cannot be made', () => {
  it('is told which folder that would be, and what to set', async () => {
    vi.stubEnv('TMPDIR', '/no/such/folder');
    await expect(runSuite(suite)).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: expect.stringMatching(/\/no\/such\/folder cannot be used: .*; set TMPDIR/),
    });
  });

  it('is told which of its files cannot be written', async () => {
    const files = { notes: 'a file', 'notes/a.txt': 'a file in it' };
    await expect(runSuite({ ...suite, files }, { folder: folderWith({}) })).rejects.toMatchObject({
      code: 'INVALID_SUITE',
      message: expect.stringContaining('files: notes/a.txt cannot be written'),
    });
  });
});
