import { describe, expect, it } from 'vitest';
import { lines, suiteFolder } from './texts.js';

const folder = suiteFolder({
  'check.py': 'check(True)\n',
  'good.json': '{ "type": "object" }',
  'list.json': '[1]',
  'broken.json': '{ "type": ',
  'known.yaml': 'server: [ping]\n',
  'served.py': 'def f(): pass\n',
});

describe('files that a suite names', () => {
  it('are there by the path as it is written', async () => {
    const { texts } = await folder.read(
      lines(
        'conformance: { expected_failures: ./known.yaml }',
        'setup: [{ tool: t, validate: { file: check.py } }]',
        'cases:',
        '  - { name: a, tool: t, expect: { schema: good.json }, validate: [pass, { file: ./check.py }] }',
      ),
    );
    expect([...texts].sort()).toEqual([
      ['./check.py', 'check(True)\n'],
      ['./known.yaml', 'server: [ping]\n'],
      ['check.py', 'check(True)\n'],
      ['good.json', '{ "type": "object" }'],
    ]);
  });

  it('that are missing, or no schemas, are mistakes', async () => {
    const text = lines(
      'conformance: { expected_failures: none.yaml }',
      'cases:',
      '  - { name: a, tool: t, expect: { schema: none.json }, validate: { file: none.py } }',
      '  - { name: b, tool: t, expect: { schema: list.json }, validate: [pass, { file: "{{ temp }}/x.py" }] }',
      '  - { name: c, tool: t, expect: { schema: broken.json } }',
      '  - { name: d, tool: t, validate: { file: . } }',
    );
    expect(await folder.mistakes(text)).toEqual([
      '3:16 conformance.expected_failures: FOLDER/none.yaml cannot be read: there is no such file',
      '5:35 cases.0.expect.schema: FOLDER/none.json cannot be read: there is no such file',
      '5:68 cases.0.validate.file: FOLDER/none.py cannot be read: there is no such file',
      '6:35 cases.1.expect.schema: the file is no JSON Schema: expected an object of JSON, or true or false',
      '6:75 cases.1.validate.1.file: a file is read before there are values: expected a path without {{ }}',
      '7:35 cases.2.expect.schema: the file is no JSON Schema: expected an object of JSON, or true or false',
      '8:37 cases.3.validate.file: FOLDER cannot be read: it is a folder',
    ]);
  });

  it('of the server are looked for too', async () => {
    expect(await folder.mistakes('version: 1\nserver: { script: [served.py, other.py], cwd: nowhere }')).toEqual([
      '2:31 server.script.1: there is no FOLDER/other.py',
      '2:42 server.cwd: there is no FOLDER/nowhere',
    ]);
    expect(await folder.mistakes('version: 1\nserver: { script: "{{ temp }}/made.py" }')).toEqual([]);
  });
});

describe('patterns and paths of a suite', () => {
  it.each([
    [
      'expect: { text: { pattern: "[" } }',
      '4:43 cases.0.expect.text.pattern: this is no regular expression of JavaScript with the flag u: unterminated character class',
    ],
    [
      'expect: { text: { pattern: [ok, "("] } }',
      '4:57 cases.0.expect.text.pattern.1: this is no regular expression of JavaScript with the flag u: unterminated group',
    ],
    [
      'expect: { error: { message: { pattern: "\\\\-" } } }',
      '4:55 cases.0.expect.error.message.pattern: this is no regular expression of JavaScript with the flag u: invalid escape',
    ],
    [
      'expect: { logs: { message: { pattern: "*" } } }',
      '4:54 cases.0.expect.logs.message.pattern: this is no regular expression of JavaScript with the flag u: nothing to repeat',
    ],
    [
      'expect: { fields: { $.a: { pattern: "+" } } }',
      '4:52 cases.0.expect.fields.$.a.pattern: this is no regular expression of JavaScript with the flag u: nothing to repeat',
    ],
    [
      'expect: { data: { a.b: 1 } }',
      '4:43 cases.0.expect.data.a.b: this is no JSONPath (RFC 9535); a path begins with $, such as $.a.b',
    ],
    [
      'capture: { a: "[0]" }',
      '4:36 cases.0.capture.a: this is no JSONPath (RFC 9535); a path begins with $, such as $[0]',
    ],
    [
      'capture: { a: { text: ")" } }',
      "4:41 cases.0.capture.a.text: this is no regular expression of JavaScript with the flag u: unmatched ')'",
    ],
    [
      'capture: { a: { data: a } }',
      '4:41 cases.0.capture.a.data: this is no JSONPath (RFC 9535); a path begins with $, such as $.a',
    ],
    [
      'expect: { snapshot: { ignore: [$.a, b] } }',
      '4:61 cases.0.expect.snapshot.ignore.1: this is no JSONPath (RFC 9535); a path begins with $, such as $.b',
    ],
  ])('%s is refused', async (given, mistake) => {
    expect(await folder.mistakes(lines('cases:', `  - { name: a, tool: t, ${given} }`))).toEqual([mistake]);
  });

  it('with references in them wait for their values', async () => {
    const text = lines(
      'variables: { x: a }',
      'cases: [{ name: a, tool: t, expect: { text: { pattern: "[{{ x }}" } } }]',
    );
    expect(await folder.mistakes(text)).toEqual([]);
  });
});
