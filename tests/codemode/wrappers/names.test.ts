import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameterNames, serverModules, toolNames } from '../../../src/codemode/wrappers/names.js';
import { anyText } from './arbitrary.js';

const names = fc.uniqueArray(anyText, { maxLength: 12 });
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const keywords = ['class', 'from', 'None', 'async', 'import'];

describe('the name of a tool in Python', () => {
  it.each([
    ['create_issue', 'create_issue', 'create_issue_async'],
    ['createIssue', 'createIssue', 'createIssue_async'],
    ['create-issue', 'create_issue', 'create_issue_async'],
    ['issues.create/new', 'issues_create_new', 'issues_create_new_async'],
    ['import', 'import_', 'import_async'],
    ['list', 'list_', 'list_async'],
    ['Größe', 'Grosse', 'Grosse_async'],
    ['2fa', 'tool_2fa', 'tool_2fa_async'],
    ['__init__', 'init__', 'init___async'],
    ['con', 'con_', 'con_async'],
  ])('of %s is %s', (tool, name, asyncFunction) => {
    expect(toolNames([tool]).get(tool)).toEqual({ module: name, function: name, asyncFunction });
  });

  it('is made of a hash where no letter of it can be said', () => {
    const [one, other] = [...toolNames(['発行', '🎉']).values()];
    expect(one?.function).toMatch(/^tool_[0-9a-f]{6}$/);
    expect(other?.function).not.toBe(one?.function);
  });

  it('stays as it is, and others that would be the same get a hash', () => {
    const named = toolNames(['max-count', 'max_count', 'max.count']);
    expect(named.get('max_count')?.function).toBe('max_count');
    expect(named.get('max-count')?.function).toMatch(/^max_count_[0-9a-f]{6}$/);
    expect(named.get('max.count')?.function).toMatch(/^max_count_[0-9a-f]{6}$/);
  });

  it('differs from others in more than capital letters, as file systems need it', () => {
    const found = [...toolNames(['Save', 'save', 'SAVE']).values()].map(({ module }) => module.toLowerCase());
    expect(new Set(found).size).toBe(3);
  });

  it('is free for awaiting even where a tool is named like that', () => {
    const named = toolNames(['run', 'run_async']);
    expect(named.get('run_async')?.function).toBe('run_async');
    expect(named.get('run')?.asyncFunction).toMatch(/^run_async_[0-9a-f]{6}$/);
  });
});

describe.each([
  ['tools', (all: readonly string[]) => new Map([...toolNames(all)].map(([tool, { function: name }]) => [tool, name]))],
  ['servers', serverModules],
  ['arguments', parameterNames],
])('the names of %s', (_, give) => {
  it('are identifiers, no keywords, not long, and never the same twice', () => {
    fc.assert(
      fc.property(names, (all) => {
        const given = [...give([...all, ...keywords]).values()];
        for (const name of given) expect(name).toMatch(identifier);
        expect(given.filter((name) => keywords.includes(name) || name.length > 80)).toEqual([]);
        expect(new Set(given).size).toBe(new Set([...all, ...keywords]).size);
      }),
    );
  });

  it('are the same in whatever order they are asked for', () => {
    fc.assert(
      fc.property(names, (all) => {
        const given = give(all);
        for (const [name, other] of give(all.toReversed())) expect(other).toBe(given.get(name));
      }),
    );
  });
});

it('all functions of a server, awaited or not, have names of their own', () => {
  const close = fc.constantFrom(
    'a',
    'a_',
    'a-',
    'A',
    'a_async',
    'a-async',
    'a_async_async',
    'list',
    'list_',
    'list_async',
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(close, anyText), { maxLength: 12 }), (all) => {
      const given = [...toolNames(all).values()].flatMap(({ function: name, asyncFunction }) => [name, asyncFunction]);
      expect(new Set(given).size).toBe(all.length * 2);
    }),
  );
});
