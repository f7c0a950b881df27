import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ManifestTool } from '../../src/manifest/manifest.js';
import { keepNamesApart, validName } from '../../src/manifest/names.js';
import { commandTool, functionTool } from './tools.js';

describe('names of tools', () => {
  it('stay as they are where they do not clash', () => {
    const tools = [functionTool('a.py', 'one'), functionTool('b.py', 'two')];
    expect(keepNamesApart(tools)).toEqual(tools);
  });

  it('that clash all get the name of their file', () => {
    expect(kept(functionTool('a.py', 'load'), functionTool('b.py', 'load'), functionTool('b.py', 'save'))).toEqual([
      'a_load',
      'b_load',
      'save',
    ]);
  });

  it('of files with the same name get the folder too', () => {
    expect(kept(functionTool('x/a.py', 'load'), functionTool('y/a.py', 'load'))).toEqual(['x_a_load', 'y_a_load']);
  });

  it('of whole scripts bear the name of the file already, and get the folder', () => {
    expect(kept(commandTool('x/run.py', 'run'), commandTool('y/run.py', 'run'))).toEqual(['x_run', 'y_run']);
    expect(kept(commandTool('x/run.py', 'run_all', 'all'), commandTool('y/run.py', 'run_all', 'all'))).toEqual([
      'x_run_all',
      'y_run_all',
    ]);
  });

  it('that clash in spite of file and folder get a number', () => {
    expect(kept(functionTool('p/x/a.py', 'load'), functionTool('q/x/a.py', 'load'))).toEqual([
      'x_a_load',
      'x_a_load_2',
    ]);
  });

  it('made longer by a prefix do not run into names that are there already', () => {
    expect(kept(functionTool('a.py', 'load'), functionTool('b.py', 'load'), functionTool('c.py', 'a_load'))).toEqual([
      'a_load',
      'b_load',
      'c_a_load',
    ]);
  });

  it('that clash only when they are cut stay apart by a hash', () => {
    const names = kept(
      functionTool(`${'long'.repeat(20)}.py`, 'load'),
      functionTool(`${'long'.repeat(20)}er.py`, 'load'),
    );
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{64}$/);
  });

  it('of files with other characters are made valid', () => {
    expect(kept(functionTool('my report.v2.py', 'load'), functionTool('größe.py', 'load'))).toEqual([
      'my_report_v2_load',
      'gr_e_load',
    ]);
    expect(validName('')).toBe('_');
  });

  it('are always valid, distinct and the same again, whatever the scripts', () => {
    const part = constantFrom('a', 'a_a', 'b', 'ü', 'x'.repeat(70));
    const tool = constantFrom('a', 'a_a', 'a_a_a', 'b', 'b_a', 'x'.repeat(64));
    assert(
      property(
        array(part, { minLength: 1, maxLength: 12 }),
        array(tool, { minLength: 12, maxLength: 12 }),
        (parts, names) => {
          const tools = parts.map((stem, index) => functionTool(`${parts.at(-index)}/${stem}.py`, names[index] ?? 'a'));
          const result = kept(...tools);
          expect(new Set(result).size).toBe(tools.length);
          for (const name of result) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(kept(...tools)).toEqual(result);
        },
      ),
    );
  });
});

function kept(...tools: readonly ManifestTool[]): readonly string[] {
  return keepNamesApart(tools).map(({ name }) => name);
}
