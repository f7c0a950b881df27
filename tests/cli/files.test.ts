import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReturnedFile } from '../../src/engine/work.js';
import { createFolder } from '../interpreter/scripts.js';
import { resultOf, say } from './fake.js';

const report: ReturnedFile = { name: 'report.csv', mimeType: 'text/csv', data: Buffer.from('x'.repeat(1234)) };
const chart: ReturnedFile = { name: 'charts/May.svg', mimeType: 'image/svg+xml', data: Buffer.from('<svg/>') };

describe('the files of a call', () => {
  let folder: string;
  let calls: number;
  beforeEach(async () => {
    folder = await createFolder();
    calls = 0;
  });
  const call = (files: readonly ReturnedFile[], ...flags: readonly string[]) =>
    say(['call', 'x.py', 'f', ...flags], {
      engine: {
        call: async () => {
          calls++;
          return { ...resultOf('value'), files };
        },
      },
    });

  it('are named on stderr, and nothing is written', async () => {
    const { exitCode, stdout, stderr } = await call([report, chart]);
    expect(stdout).toBe('value\n');
    expect(stderr).toBe(
      'file report.csv (text/csv, 1,234 bytes): --save DIR keeps it\n' +
        'file charts/May.svg (image/svg+xml, 6 bytes): --save DIR keeps it\n',
    );
    expect(exitCode).toBe(0);
  });

  it('are part of the JSON object with --json', async () => {
    const { stdout, stderr } = await call([chart], '--json');
    expect(JSON.parse(stdout).files).toEqual([
      { name: 'charts/May.svg', mimeType: 'image/svg+xml', size: 6, data: 'PHN2Zy8+' },
    ]);
    expect(stderr).toBe('');
  });

  it('are written to the folder of --save, which is made', async () => {
    const target = join(folder, 'deep', 'out');
    const { exitCode, stdout, stderr } = await call([report, chart], '--save', target);
    expect(await readFile(join(target, 'report.csv'))).toEqual(report.data);
    expect(await readFile(join(target, 'charts/May.svg'))).toEqual(chart.data);
    expect([exitCode, stdout]).toEqual([0, 'value\n']);
    expect(stderr).toContain(`file report.csv (text/csv, 1,234 bytes): saved as ${join(target, 'report.csv')}\n`);
  });

  it('are written and part of the JSON object with both', async () => {
    const { stdout } = await call([chart], '--json', '--save', folder);
    expect(JSON.parse(stdout).files).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['charts']);
  });

  it('never take the place of a file that is there, and the command says so', async () => {
    await writeFile(join(folder, 'report.csv'), 'mine');
    await writeFile(join(folder, 'report (2).csv'), 'mine too');
    const { exitCode, stderr } = await call([report], '--save', folder);
    expect(await readFile(join(folder, 'report.csv'), 'utf8')).toBe('mine');
    expect(await readFile(join(folder, 'report (2).csv'), 'utf8')).toBe('mine too');
    expect(await readFile(join(folder, 'report (3).csv'))).toEqual(report.data);
    expect(stderr).toContain(
      `saved as ${join(folder, 'report (3).csv')}, because ${join(folder, 'report.csv')} is there`,
    );
    expect(exitCode).toBe(0);
  });

  it('are refused before the call where --save names no folder', async () => {
    const target = join(folder, 'taken');
    await writeFile(target, '');
    const { exitCode, stdout, stderr } = await call([report], '--save', target);
    expect(stderr).toContain(`INVALID_ARGUMENTS: --save: ${target} is not a folder\n`);
    expect([exitCode, stdout, calls]).toEqual([2, '', 0]);
    expect((await call([report], '--save', join(target, 'inner'))).stderr).toContain('cannot be written to: ENOTDIR');
    expect(calls).toBe(0);
  });

  it('that cannot be written are named, and the value and the others are kept', async () => {
    await writeFile(join(folder, 'charts'), 'a file where a folder is needed');
    const { exitCode, stdout, stderr } = await call([chart, report], '--save', folder);
    expect(stderr).toContain('file charts/May.svg (image/svg+xml, 6 bytes): could not be saved: EEXIST');
    expect(await readFile(join(folder, 'report.csv'))).toEqual(report.data);
    expect([exitCode, stdout]).toEqual([1, 'value\n']);
  });
});
