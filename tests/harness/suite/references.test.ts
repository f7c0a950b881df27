import { describe, expect, it } from 'vitest';
import { lines, suiteFolder } from './texts.js';

const folder = suiteFolder({ 'says.py': 'value("token", 5)\n' });

describe('values that a suite uses', () => {
  it('may be variables, columns, captured ones and those that are given', async () => {
    const text = lines(
      'variables: { root: "{{ temp }}/x", sub: "{{ root }}/y", plain: 1 }',
      'files: { "a.txt": "{{ sub }} {{ suite_folder }}" }',
      'setup: [{ tool: t, arguments: { a: "{{ plain }}" }, capture: { from_setup: $.a } }]',
      'cases:',
      '  - name: a',
      '    tool: t',
      '    each: [{ column: "{{ plain }}" }]',
      '    arguments: { a: "{{ column }}", b: "{{ from_setup }}", c: "{{ got.deep[0] }}", d: "\\\\{{ none }}" }',
      '  - name: b',
      '    tool: t',
      '    description: "{{ not filled }}"',
      '    capture: { got: $.a }',
      'teardown: [{ tool: t, arguments: { a: "{{ got }}" } }]',
    );
    expect(await folder.mistakes(text)).toEqual([]);
  });

  it.each<readonly [readonly string[], readonly string[]]>([
    [
      ['variables: { user: 1 }', 'cases: [{ name: a, tool: t, arguments: { x: "{{ usr }}" } }]'],
      ['4:42 cases.0.arguments.x: nothing defines the value usr; did you mean user?'],
    ],
    [
      ['cases: [{ name: a, tool: "{{ thing }}" }]'],
      ['3:20 cases.0.tool: nothing defines the value thing; known are temp, suite_folder'],
    ],
    [
      ['cases: [{ name: a, tool: t, expect: { data: { $.a: ["{{ x y }}"] } } }]'],
      [expect.stringMatching(/^3:53 cases\.0\.expect\.data\.\$\.a\.0: \{\{ x y \}\} names no value: expected a name/)],
    ],
    [
      ['variables: { a: "{{ b }}", b: 1 }'],
      [
        '3:14 variables.a: nothing defines the value b (a variable may use those above it); known are temp, suite_folder',
      ],
    ],
    [
      ['files: { f: "{{ got }}" }', 'cases: [{ name: a, tool: t, capture: { got: $.a } }]'],
      [
        '3:10 files.f: nothing defines the value got (nothing is captured before the server starts); known are temp, suite_folder',
      ],
    ],
    [
      ['cases: [{ name: a, tool: t, arguments: { x: "{{ b }}" }, each: [{ a: 1, b: 2 }, { a: 2 }] }]'],
      ['3:81 cases.0.each.1: this row has no b, which the case uses'],
    ],
  ])('%j are refused where nobody defines them', async (rest, mistakes) => {
    expect(await folder.mistakes(lines(...rest))).toEqual(mistakes);
  });

  it('may be a free port, of a server that is started and spoken to at an address', async () => {
    const url = 'url: "http://127.0.0.1:{{ port }}/mcp"';
    const server = (form: string) => `version: 1\nserver: { ${form} }`;
    expect(await folder.mistakes(server(`command: a, args: ["{{ port }}"], ${url}`))).toEqual([]);
    expect(await folder.mistakes(server(url))).toEqual([expect.stringContaining('nothing defines the value port')]);
    const inCase = `${server(`command: a, ${url}`)}\ncases: [{ name: a, tool: "{{ port }}" }]`;
    expect(await folder.mistakes(inCase)).toEqual([expect.stringContaining('nothing defines the value port')]);
    const misspelt = server(`command: a, args: ["{{ prt }}"], ${url}`);
    expect(await folder.mistakes(misspelt)).toEqual([expect.stringContaining('did you mean port?')]);
  });

  it.each(['validate: \'value("token", 1)\'', 'validate: { file: says.py }'])(
    'may be said by a script: %s',
    async (validate) => {
      const text = lines(
        'cases:',
        `  - { name: a, tool: t, ${validate} }`,
        '  - { name: b, tool: t, arguments: { x: "{{ token }}" } }',
      );
      expect(await folder.mistakes(text)).toEqual([]);
    },
  );
});
