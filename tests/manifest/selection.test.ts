import { describe, expect, it } from 'vitest';
import { type Selection, select } from '../../src/manifest/selection.js';
import { functionTool } from './tools.js';

const tools = [
  functionTool('a.py', 'load_text'),
  functionTool('a.py', 'load_json'),
  functionTool('a.py', 'a_save', { run: { kind: 'function', script: '/a.py', function: 'save' } }),
  functionTool('a.py', 'main', { enabled: false, why: 'it does everything' }),
];

describe('a selection', () => {
  it('of nothing leaves all as it is', () => {
    expect(select(tools, {})).toBe(tools);
  });

  it('by --only enables the named tools and no others', () => {
    expect(enabled({ only: ['load_text'] })).toEqual(['load_text']);
    expect(select(tools, { only: ['load_text'] })[1]).toMatchObject({
      enabled: false,
      why: 'It is left out by --only.',
    });
  });

  it('by --only enables what was off, and says so', () => {
    expect(select(tools, { only: ['main'] })[3]).toMatchObject({
      enabled: true,
      why: 'It is named by --only. Without that: it does everything',
    });
  });

  it('knows functions by the name in the script too', () => {
    expect(enabled({ only: ['save'] })).toEqual(['a_save']);
  });

  it('takes patterns', () => {
    expect(enabled({ only: ['load_*'] })).toEqual(['load_text', 'load_json']);
    expect(enabled({ only: ['load_????'] })).toEqual(['load_text', 'load_json']);
    expect(enabled({ exclude: ['*'] })).toEqual([]);
  });

  it('takes the characters of expressions as they are', () => {
    expect(() => select(tools, { only: ['load.text'] })).toThrow('did you mean load_text?');
    expect(() => select(tools, { only: ['(a|b)*'] })).toThrow('No tool and no function is named (a|b)*');
  });

  it('by --exclude wins over --only', () => {
    expect(enabled({ only: ['load_*'], exclude: ['load_json'] })).toEqual(['load_text']);
    expect(select(tools, { exclude: ['load_json'] })[1]).toMatchObject({ why: 'It is left out by --exclude.' });
  });

  it.each(['only', 'exclude'])('by --%s that matches nothing is an error with what was probably meant', (kind) => {
    expect(() => select(tools, { [kind]: ['lode_text'] })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_TOOL', message: expect.stringContaining('did you mean load_text?') }),
    );
    expect(() => select(tools, { [kind]: ['zzzzzz'] })).toThrow('there are load_text, load_json, a_save, save, main');
  });

  it('that matches nothing is let be where a script could not be read', () => {
    expect(select(tools, { only: ['of_broken_script'] }, false).filter((tool) => tool.enabled)).toEqual([]);
  });
});

function enabled(selection: Selection): readonly string[] {
  return select(tools, selection).flatMap((tool) => (tool.enabled ? tool.name : []));
}
