import { describe, expect, it } from 'vitest';
import { CallerError } from '../../../src/errors.js';
import { readSuite, suiteOf } from '../../../src/harness/suite/read.js';
import { lines, suiteFolder } from './texts.js';

const folder = suiteFolder();
const forms =
  'expected one of command (a program), url (an address), script (a Python script to serve) and name (an entry of an MCP config)';
const oneCase = (...rest: readonly string[]) => lines('cases:', '  - name: a', '    tool: t', ...rest);

describe('the form of a suite', () => {
  it.each<readonly [string, readonly string[]]>([
    ['version: 1', [`1:1 server: is missing: ${forms}`]],
    ['server: { command: node }', ['1:1 version: is missing: expected 1']],
    ['version: 2\nserver: { command: node }', ['1:1 version: expected 1']],
    ['version: 1\nserver: node', [`2:1 server: ${forms}; found a text`]],
    [
      'version: 1\nserver: { comand: node }',
      [`2:1 server: ${forms}; this one has none of them; did you mean command?`],
    ],
    ['version: 1\nserver: { script: a.py, url: b }', [`2:1 server: ${forms}; this one has url and script`]],
    ['version: 1\nserver: { command: a, url: b, name: c }', [`2:1 server: ${forms}; this one has command and name`]],
    [
      'version: 1\nserver: { command: a, headers: { b: c } }',
      ['2:23 server.headers: goes with url: a program without one is not spoken to over HTTP'],
    ],
    [
      'version: 1\nserver: { command: a, url: 5 }',
      ['2:23 server.url: expected a text, found a number; put it in quotes'],
    ],
    ['version: 1\nserver: { config: a.json }', ['2:1 server.name: is missing: expected a text']],
    [
      'version: 1\nserver: { command: 5, arg: [] }',
      [
        '2:11 server.command: expected a text, found a number; put it in quotes',
        '2:23 server.arg: there is nothing of this name; did you mean args?',
      ],
    ],
    [lines('case: []'), ['3:1 case: there is nothing of this name; did you mean cases?']],
    [lines('tests: []'), ['3:1 tests: there is nothing of this name; did you mean cases?']],
    [lines('args: []'), ['3:1 args: there is nothing of this name; it belongs under server']],
    [lines('timeout: soon'), ['3:1 timeout: expected milliseconds, or a text such as 200ms, 5s, 2m or 1h']],
    [lines('timeout: -1'), ['3:1 timeout: expected milliseconds, or a text such as 200ms, 5s, 2m or 1h']],
    [lines('timeout: 30d'), ['3:1 timeout: expected milliseconds, or a text such as 200ms, 5s, 2m or 1h']],
    [lines('timeout: 900h'), ['3:1 timeout: is longer than a timer can wait (24 days)']],
    [lines('parallel: 0'), ['3:1 parallel: expected more than 0']],
    [lines('parallel: 1000'), ['3:1 parallel: expected 256 or less']],
    [lines('retry: 1.5'), ['3:1 retry: expected a whole number']],
    [lines('isolation: cases'), ['3:1 isolation: expected one of shared, case; did you mean case?']],
    [lines('capabilities: tools'), ['3:1 capabilities: expected a list, found a text']],
    [lines('variables: { 1a: 2 }'), ['3:14 variables.1a: is no name of a value: expected letters, digits and _']],
    [lines('checks: { schemas: maybe }'), ['3:11 checks.schemas: expected true, false, or an object; found a text']],
    [lines('checks: [schema]'), [expect.stringMatching(/^3:10 checks\.0: expected one of .*did you mean schemas\?$/)]],
    [
      lines('checks: al'),
      [expect.stringMatching(/^3:1 checks: expected all, or names of checks: .*; did you mean all\?$/)],
    ],
    [lines('checks: scemas'), [expect.stringMatching(/^3:1 checks: expected all, .*; did you mean schemas\?$/)]],
    [lines('checks: 5'), [expect.stringMatching(/^3:1 checks: expected all, or names of checks: .*; found a number$/)]],
    [
      oneCase('    expect: { data: { $.a: { min: lots, max: "{{ a }} or so", length: true } } }'),
      [
        '6:30 cases.0.expect.data.$.a.min: expected a number, or a value such as {{ name }}',
        '6:41 cases.0.expect.data.$.a.max: expected a number, or a value such as {{ name }}',
        expect.stringContaining('length: expected a whole number'),
      ],
    ],
    [
      oneCase('    expect: { data: { $.a: { min: "{{ lesat }}" } } }', '    each: [{ least: 1 }]'),
      [expect.stringContaining('cases.0.expect.data.$.a.min: nothing defines the value lesat; did you mean least?')],
    ],
    [lines('cases: {}'), ['3:1 cases: expected a list, found an object']],
    [lines('cases:', '  - tool: t'), ['4:5 cases.0.name: is missing: expected a text']],
    [lines('cases:', '  - name: ""', '    tool: t'), ['4:5 cases.0.name: is empty: expected a text']],
    [
      lines('cases:', '  - name: a'),
      ['4:5 cases.0: needs exactly one of tool, prompt, resource, list and request; this one has none of them'],
    ],
    [
      oneCase('    prompt: p'),
      ['4:5 cases.0: needs exactly one of tool, prompt, resource, list and request; this one has tool and prompt'],
    ],
    [oneCase('    params: {}'), ['6:5 cases.0.params: goes with request; a tool takes none']],
    [oneCase('    args: {}'), ['6:5 cases.0.args: there is nothing of this name; did you mean arguments?']],
    [oneCase('    text: hi'), ['6:5 cases.0.text: there is nothing of this name; it belongs under expect']],
    [oneCase('    dependsOn: b'), ['6:5 cases.0.dependsOn: there is nothing of this name; did you mean depends_on?']],
    [oneCase('    depends_on: 5'), ['6:5 cases.0.depends_on: expected a name, or a list of names; found a number']],
    [oneCase('    each: []'), ['6:5 cases.0.each: is empty: expected one element at least']],
    [oneCase('    load: {}'), ['6:5 cases.0.load: needs either duration or count']],
    [
      oneCase('    validate: 5'),
      [
        '6:5 cases.0.validate: expected Python source, an object with script or file, or a list of these; found a number',
      ],
    ],
    [
      oneCase('    validate: [{ scrip: x }]'),
      ['6:18 cases.0.validate.0.scrip: there is nothing of this name; did you mean script?'],
    ],
    [oneCase('    validate: {}'), ['6:5 cases.0.validate: needs either script or file, and not both']],
    [
      oneCase('    setup:', '      - tol: x'),
      ['7:9 cases.0.setup.0.tol: there is nothing of this name; did you mean tool?'],
    ],
    [
      oneCase('    expect:', '      contains: x'),
      ['7:7 cases.0.expect.contains: there is nothing of this name; it belongs under text'],
    ],
    [
      oneCase('    expect: { text: { equal: x } }'),
      ['6:23 cases.0.expect.text.equal: there is nothing of this name; did you mean equals?'],
    ],
    [
      oneCase('    expect: { text: 5 }'),
      [
        '6:15 cases.0.expect.text: expected the text itself, or an object with equals, contains, excludes or pattern; found a number',
      ],
    ],
    [
      oneCase('    expect: { error: maybe }'),
      ['6:15 cases.0.expect.error: expected true or false, or an object; found a text'],
    ],
    [
      oneCase('    expect: { data: { $.a: { patern: x } } }'),
      ['6:30 cases.0.expect.data.$.a.patern: there is nothing of this name; did you mean pattern?'],
    ],
    [
      oneCase('    expect: { data: { $.a: { user: x } } }'),
      ['6:30 cases.0.expect.data.$.a.user: there is nothing of this name; an object to compare with goes under value'],
    ],
    [
      oneCase('    expect: { memory: lots }'),
      [
        '6:15 cases.0.expect.memory: expected bytes, or a text such as 64KB, 64MB or 1GiB, or a value such as {{ name }}',
      ],
    ],
    [
      oneCase('    expect: { logs: { level: warn } }'),
      [expect.stringMatching(/^6:23 cases\.0\.expect\.logs\.level: expected one of debug, .*did you mean warning\?$/)],
    ],
  ])('%j is refused with places', async (text, mistakes) => {
    expect(await folder.mistakes(text)).toEqual(mistakes);
  });

  it('is refused with all mistakes at once, in their order, up to twenty', async () => {
    const cases = Array.from({ length: 30 }, (_, index) => `  - { name: c${index}, tool: 5 }`);
    const told = await folder.mistakes(lines('cases:', ...cases, 'timeout: soon', 'timeout: now'));
    expect(told).toHaveLength(21);
    expect(told[0]).toBe('4:17 cases.0.tool: expected a text, found a number; put it in quotes');
    expect(told[19]).toMatch(/^23:18 cases\.19/);
    expect(told[20]).toBe('and 12 more');
  });

  it('has the first place in the details of the error', async () => {
    const error = await folder.read(lines('parallel: 0', 'retry: -1')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallerError);
    expect(error).toMatchObject({
      code: 'INVALID_SUITE',
      exitCode: 2,
      details: { file: 's.yaml', line: 3, column: 1 },
    });
  });

  it('shows no values of the environment and of headers', async () => {
    const text = `version: 1\nserver:\n  url: x\n  headers: { A: [hidden], B: "\${SECRET}", C: 5 }\n  nam: \${SECRET}\n`;
    const told = await folder.mistakes(text, { SECRET: 'hidden' });
    expect(told).toHaveLength(3);
    expect(told.join()).not.toContain('hidden');
  });
});

describe('variables of the environment', () => {
  it('are put in, and Python is left as it is', async () => {
    const text = oneCase(
      `    arguments: { a: "\${A}", b: "\${B:-two}", c: "$\${A}" }`,
      `    validate: check("\${A}", f"{{x}}")`,
    );
    const { document } = await folder.read(text, { A: 'one' });
    expect(document.cases[0]?.arguments).toEqual({ a: 'one', b: 'two', c: `\${A}` });
    expect(document.cases[0]?.validate?.[0]?.script).toBe(`check("\${A}", f"{{x}}")`);
  });

  it('that are not set are mistakes, each at its place', async () => {
    const text = lines(`timeout: \${T}`, 'parallel: 0', `name: \${N}`);
    expect(await folder.mistakes(text)).toEqual([
      `3:1 timeout: the variable T is not set; set it, or write \${T:-a default}`,
      '4:1 parallel: expected more than 0',
      `5:1 name: the variable N is not set; set it, or write \${N:-a default}`,
    ]);
  });

  it('are numbers and switches where such are expected', async () => {
    const text = lines(`parallel: \${P:-4}`, `timeout: \${T}`, 'cases:', `  - { name: a, tool: t, repeat: "\${R}" }`);
    const { document } = await folder.read(text, { T: '1500', R: '2' });
    expect(document).toMatchObject({ parallel: 4, timeout: 1500, cases: [{ repeat: 2 }] });
    expect(await folder.mistakes(lines(`parallel: \${P}`), { P: 'many' })).toEqual([
      '3:1 parallel: expected a number, found a text',
    ]);
    expect(await folder.mistakes(lines('parallel: "4"'))).toEqual(['3:1 parallel: expected a number, found a text']);
  });
});

describe('a suite in JSON', () => {
  it('is the same', async () => {
    const text =
      '{\n  // a comment\n  "version": 1,\n  "server": { "command": "node" },\n  "cases": [{ "name": "a", "tool": "t" }],\n}';
    const suite = await folder.read(text, {}, 's.json');
    expect(suite).toMatchObject({ file: 's.json', name: 's', cases: [{ id: 'a', place: { line: 5, column: 13 } }] });
  });

  it('has its mistakes in their places', async () => {
    const text = '{\n  "version": 1,\n  "server": { "command": "node", "command": "x" },\n  "case": []\n}';
    expect(await folder.mistakes(text, {}, 's.json')).toEqual([
      '3:34 "command" stands here twice',
      '4:3 case: there is nothing of this name; did you mean cases?',
    ]);
    expect(await folder.mistakes('{ "version": 1, ', {}, 's.json')).toEqual([expect.stringMatching(/^1:\d+ /)]);
  });
});

describe('a suite that is no text', () => {
  it.each([
    ['nothing.yaml', /nothing\.yaml cannot be read: there is no such file$/],
    ['.', /cannot be read: it is a folder; name a suite in it, such as suite\.yaml$/],
  ])('%j is refused', async (file, message) => {
    const read = readSuite(file, { environment: {}, cwd: folder.path });
    await expect(read).rejects.toThrow(message);
    await expect(read).rejects.toMatchObject({ code: 'INVALID_SUITE' });
  });
});

describe('a suite of a program', () => {
  const options = { environment: {}, folder: '.', name: 'mine' };

  it('is read as a file is', async () => {
    const document = {
      version: 1,
      server: { command: 'node' },
      description: undefined,
      cases: [{ name: 'a', tool: 't' }],
    };
    expect(await suiteOf(document, options)).toMatchObject({
      file: 'mine',
      name: 'mine',
      cases: [{ id: 'a', after: [] }],
    });
  });

  it('is refused with paths in place of lines', async () => {
    const document = { version: 1, server: { command: 'node' }, paralel: 2, retry: -1 };
    await expect(suiteOf(document, options)).rejects.toThrow(
      'mine: retry: expected 0 or more\nmine: paralel: there is nothing of this name; did you mean parallel?',
    );
  });

  it('has to be what JSON can say', async () => {
    const holdsItself: Record<string, unknown> = {};
    holdsItself.again = holdsItself;
    const server = { command: 'node' };
    await expect(suiteOf({ version: 1, server, variables: { at: new Date(0) } }, options)).rejects.toThrow(
      'mine: variables.at: a Date has no form in JSON',
    );
    await expect(suiteOf({ version: 1, server, variables: { n: Number.NaN } }, options)).rejects.toThrow(
      'mine: variables.n: a number has no form in JSON',
    );
    await expect(suiteOf({ version: 1, server, variables: holdsItself }, options)).rejects.toThrow('holds itself');
    await expect(suiteOf(undefined, options)).rejects.toThrow('mine: nothing has no form in JSON');
  });
});
