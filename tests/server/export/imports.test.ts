import { describe, expect, it } from 'vitest';
import { importedModules } from '../../../src/server/export/imports.js';

describe('the modules that a source imports', () => {
  it.each([
    ['import a', ['a']],
    ['import a.b.c, d as e', ['a', 'd']],
    ['from a.b import c', ['a']],
    ['from a import (\n  b,  # (not here)\n  c,\n)', ['a']],
    ['from a import \\\n  b', ['a']],
    ['    import a  # import b', ['a']],
    ['try: import a\nexcept ImportError: import b', ['a', 'b']],
    ['x = 1; import a; from b import c', ['a', 'b']],
    ['importlib.import_module("a.b")', ['a']],
    ["__import__('a')", ['a']],
    ['import größe', ['größe']],
    ['import a\r\nimport b\r\n', ['a', 'b']],
    ['from . import a\nfrom .b import c\nfrom .. import d', []],
    ['important = 1\nfromage = 2\n', []],
    ['import_module(name)', []],
    ['', []],
  ])('of %j are %j', (source, modules) => {
    expect([...importedModules(source)].sort()).toEqual(modules);
  });
});
