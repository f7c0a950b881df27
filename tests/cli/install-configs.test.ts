import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { diffOf } from '../../src/cli/install/diff.js';
import { changeJson } from '../../src/cli/install/json-config.js';
import { changeToml } from '../../src/cli/install/toml-config.js';

const entry = { command: 'node', args: ['server.mjs', 'a "quoted" \\ word'] };

describe('a change of JSON', () => {
  const change = (text: string, value: object | undefined = entry) =>
    changeJson({ file: 'mcp.json', text, key: 'mcpServers', name: 'mine' }, value);
  const remove = (text: string) => changeJson({ file: 'mcp.json', text, key: 'mcpServers', name: 'mine' }, undefined);

  it.each(['', ' \n', '{}', '{ }\n'])('makes a file of %j', (text) => {
    expect(JSON.parse(change(text))).toEqual({ mcpServers: { mine: entry } });
  });

  it('writes a new file with two spaces and a last line end', () => {
    expect(change('')).toMatch(/^\{\n {2}"mcpServers": \{\n {4}"mine": \{\n[\s\S]*\}\n$/);
  });

  it('keeps comments, the order and the form of all else', () => {
    const text = `{
    // my servers
    "mcpServers": {
        "other": { "command": "x" }, // one line
    },
    "theme":    "dark"
}
`;
    const changed = change(text);
    expect(changed).toContain('    // my servers\n');
    expect(changed).toContain('"other": { "command": "x" }');
    expect(changed).toContain(', // one line\n        "mine": {');
    expect(changed).toContain('"theme":    "dark"');
    expect(changed).toMatch(/^ {8}"mine": \{$/m);
    expect(changeJson({ file: '', text: changed, key: 'mcpServers', name: 'mine' }, entry)).toBe(changed);
  });

  it('keeps tabs and the line ends of Windows', () => {
    const changed = change('{\r\n\t"mcpServers": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n');
    expect(changed.replaceAll('\r\n', '')).not.toContain('\n');
    expect(changed).toContain('\r\n\t\t"mine": {\r\n\t\t\t"command"');
  });

  it.each([
    ['{"mcpServers": {"a": {}}}', '{"mcpServers": {"a": {}, "mine": {"x":1}}}'],
    ['{"mcpServers": {}}', '{"mcpServers": {\n    "mine": {\n      "x": 1\n    }\n  }}'],
    [
      '{\n  "mcpServers": {\n    "a": 1 // one\n  }\n}',
      '{\n  "mcpServers": {\n    "a": 1, // one\n    "mine": {\n      "x": 1\n    }\n  }\n}',
    ],
    [
      '{\n  "mcpServers": {\n    // none yet\n  }\n}',
      '{\n  "mcpServers": {\n    // none yet\n    "mine": {\n      "x": 1\n    }\n  }\n}',
    ],
    ['{\n  "a": 1\n}', '{\n  "a": 1,\n  "mcpServers": {\n    "mine": {\n      "x": 1\n    }\n  }\n}'],
    ['// mine\n{}', '// mine\n{\n  "mcpServers": {\n    "mine": {\n      "x": 1\n    }\n  }\n}'],
    [
      '{\n  "mcpServers": {\n    "mine": {\n      "x": 2\n    },\n    "z": [1,2]\n  }\n}',
      '{\n  "mcpServers": {\n    "mine": {\n      "x": 1\n    },\n    "z": [1,2]\n  }\n}',
    ],
    ['{"mcpServers": {"mine": {"x": 2}}}', '{"mcpServers": {"mine": {"x":1}}}'],
  ])('makes of %j exactly %j', (before, after) => {
    expect(change(before, { x: 1 })).toBe(after);
  });

  it('replaces the entry of the same name alone', () => {
    const changed = change('{"mcpServers": {"a": {"x": 1}, "mine": {"url": "http://x"}, "z": {}}}');
    expect(JSON.parse(changed)).toEqual({ mcpServers: { a: { x: 1 }, mine: entry, z: {} } });
  });

  it('takes the entry out and leaves the others', () => {
    const text = '{\n  "mcpServers": {\n    "a": {},\n    "mine": {"command": "x"}\n  }\n}\n';
    expect(remove(text)).toBe('{\n  "mcpServers": {\n    "a": {}\n  }\n}\n');
    expect(remove(remove(text))).toBe(remove(text));
    expect(remove('{\n  "mcpServers": {\n    "mine": {}\n  },\n  "b": 1\n}')).toBe(
      '{\n  "mcpServers": {},\n  "b": 1\n}',
    );
    expect(remove('{"mcpServers": {"mine": {}, "z": {}}}')).toBe('{"mcpServers": {"z": {}}}');
    expect(remove('{}')).toBe('{}');
    expect(remove('')).toBe('');
  });

  it.each([
    ['{"a": 1,\n  "b" 2}', /mcp\.json, line 2, column 7: colon expected\. Nothing was written/],
    ['{"a": ', /mcp\.json, line 1/],
    ['not json', /invalid symbol/],
    ['[]', /its outermost value is not an object/],
    ['"text"', /its outermost value is not an object/],
    ['{"mcpServers": []}', /"mcpServers" is not an object/],
    ['{"mcpServers": null}', /"mcpServers" is not an object/],
    ['{"mcpServers": {"mine": {}, "mine": {}}}', /stands in it twice, so it has to be edited by hand/],
  ])('refuses %j', (text, message) => {
    expect(() => change(text)).toThrow(message);
  });

  it('keeps a name like __proto__ in the file as it is', () => {
    expect(change('{"__proto__": {"a": 1}}')).toContain('"__proto__": {"a": 1}');
  });
});

describe('a change of TOML', () => {
  const change = (text: string, value: typeof entry & { env?: Record<string, string> } = entry, name = 'mine') =>
    changeToml({ file: 'config.toml', text, key: 'mcp_servers', name }, value);
  const remove = (text: string) =>
    changeToml({ file: 'config.toml', text, key: 'mcp_servers', name: 'mine' }, undefined);

  it('makes a file', () => {
    expect(parse(change(''))).toEqual({ mcp_servers: { mine: entry } });
    expect(change('')).toMatch(/^\[mcp_servers\.mine\]\ncommand = "node"\n/);
  });

  it('adds a section and keeps every byte before it', () => {
    const text =
      '# mine\nmodel   = "o"  # note\n\n[mcp_servers.other]\ncommand = "x"\nargs = [\n  "[mcp_servers.mine]",\n]\n';
    const changed = change(text, { ...entry, env: { KEY: 'v' } });
    expect(changed.startsWith(text)).toBe(true);
    expect(parse(changed)).toMatchObject({ mcp_servers: { mine: { env: { KEY: 'v' } }, other: { command: 'x' } } });
  });

  it('replaces its section with those below it, and keeps what is around', () => {
    const before =
      'a = 1\n\n[mcp_servers.mine]\ncommand = "old"\n\n[mcp_servers.mine.env]\nX = "1"\n\n# about the next\n[other]\nb = 2\n';
    const changed = change(before);
    expect(changed.startsWith('a = 1\n\n[mcp_servers.mine]\ncommand = "node"\n')).toBe(true);
    expect(changed.endsWith('\n# about the next\n[other]\nb = 2\n')).toBe(true);
    expect(parse(changed)).toEqual({ a: 1, mcp_servers: { mine: entry }, other: { b: 2 } });
  });

  it.each(['[mcp_servers."mine"]', "[ mcp_servers . 'mine' ]  # comment", '[mcp_servers.mine]\r'])(
    'knows its section by %j',
    (header) => {
      expect(parse(change(`${header}\ncommand = "old"\n`))).toEqual({ mcp_servers: { mine: entry } });
    },
  );

  it('takes its section out', () => {
    const text = 'a = 1\n\n[mcp_servers.mine]\ncommand = "x"\n[mcp_servers.mine.env]\nA = "1"\n\n[z]\nb = 2\n';
    expect(remove(text)).toBe('a = 1\n\n[z]\nb = 2\n');
    expect(remove('a = 1\n')).toBe('a = 1\n');
    expect(remove('')).toBe('');
  });

  it('keeps the line ends of Windows', () => {
    const changed = change('a = 1\r\n\r\n[b]\r\nc = 2\r\n');
    expect(changed.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('says nothing to do where the same stands there', () => {
    expect(change(change('a = 1\n'))).toBe(change('a = 1\n'));
  });

  it.each([
    ['a = \n', /config\.toml, line 1.*Nothing was written/],
    ['a = 1\nb = "unfinished\n', /config\.toml, line 2/],
    ['mcp_servers = 3\n', /mcp_servers is not a table/],
    ['mcp_servers = { mine = { command = "x" } }\n', /a form that is not a section of its own/],
    ['[mcp_servers]\nmine = { command = "x" }\n', /a form that is not a section of its own/],
    ['mcp_servers.mine.command = "x"\n', /a form that is not a section of its own/],
  ])('refuses %j', (text, message) => {
    expect(() => change(text)).toThrow(message);
  });
});

describe('any file', () => {
  const key = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text !== '__proto__');
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.boolean(), tie('list'), tie('object')),
    list: fc.array(fc.string(), { maxLength: 3 }),
    object: fc.dictionary(key, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  })).any;
  const servers = fc.dictionary(key, fc.dictionary(key, value, { noNullPrototype: true }), { noNullPrototype: true });
  const document = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
  const indent = fc.constantFrom<string | number>(0, 2, 4, '\t');

  it('of JSON keeps its other values when a server is added, replaced and taken out', () => {
    fc.assert(
      fc.property(document, servers, indent, (others, known, space) => {
        const before = { ...others, mcpServers: known };
        const change = { file: '', key: 'mcpServers', name: 'mine' };
        const added = changeJson({ ...change, text: JSON.stringify(before, null, space) }, { command: 'old' });
        const replaced = changeJson({ ...change, text: added }, entry);
        expect(JSON.parse(replaced)).toEqual({ ...before, mcpServers: { ...known, mine: entry } });
        const { mine: _, ...rest } = known;
        expect(JSON.parse(changeJson({ ...change, text: replaced }, undefined))).toEqual({
          ...before,
          mcpServers: rest,
        });
      }),
    );
  });

  it('of TOML keeps its other values when a server is added, replaced and taken out', () => {
    fc.assert(
      fc.property(document, servers, (others, known) => {
        const { mcp_servers: _, ...before } = parse(stringify({ ...others }));
        const { mine: __, ...rest } = parse(stringify(known));
        const change = { file: '', key: 'mcp_servers', name: 'mine' };
        const added = changeToml(
          { ...change, text: stringify({ ...before, mcp_servers: rest }) },
          { command: 'old', args: [] },
        );
        const replaced = changeToml({ ...change, text: added }, { ...entry, env: { A: '[b]' } });
        expect(parse(replaced)).toEqual({ ...before, mcp_servers: { ...rest, mine: { ...entry, env: { A: '[b]' } } } });
        const { mcp_servers: kept = {}, ...same } = parse(changeToml({ ...change, text: replaced }, undefined));
        expect([kept, same]).toEqual([rest, before]);
      }),
    );
  });
});

describe('a diff', () => {
  it('shows what goes and comes with three lines around it', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
    expect(diffOf(before, before.replace('e\n', 'E\nEE\n'))).toEqual([
      '@@ -2,7 +2,8 @@',
      ' b',
      ' c',
      ' d',
      '-e',
      '+E',
      '+EE',
      ' f',
      ' g',
      ' h',
    ]);
  });

  it.each([
    ['', 'a\n', ['@@ -0,0 +1,1 @@', '+a']],
    ['a\n', '', ['@@ -1,1 +0,0 @@', '-a']],
    ['a\na\n', 'a\n', ['@@ -1,2 +1,1 @@', ' a', '-a']],
    ['a\r\n', 'a\r\nb\r\n', ['@@ -1,1 +1,2 @@', ' a', '+b']],
    ['a\n', 'a\n', []],
  ])('of %j and %j is %j', (before, after, lines) => {
    expect(diffOf(before, after)).toEqual(lines);
  });
});
