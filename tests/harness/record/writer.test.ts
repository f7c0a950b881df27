import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Written } from '../../../src/harness/record/literals.js';
import { type CaseInput, writeSuite } from '../../../src/harness/record/writer.js';
import type { SuiteInput } from '../../../src/harness/suite/schema.js';

const smallest: SuiteInput = { version: 1, server: { command: 'node' } };

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\n', ' ', 'a', '#', ':', '-', '\t', '\r', '\u0085', '\u202e', '\ud800', '"', '\\'),
  }),
  fc.constantFrom('yes', '1e3', '0x1f', '<<', '2024-01-01', '12:30', 'null', '~', '', '- a', '{{ a }}', '%', '@', '`'),
);
const anyJson = fc.jsonValue({ stringUnit: 'binary' }).map((value) => JSON.parse(JSON.stringify(value)) as Written);

function anyCase(name: string): fc.Arbitrary<CaseInput> {
  return fc.record(
    {
      name: fc.constant(name),
      tool: anyText.filter((text) => text !== ''),
      arguments: fc.dictionary(anyText, fc.oneof(anyText, anyJson)),
      tags: fc.array(anyText),
      expect: fc.record({ text: anyText, content: fc.array(anyText) }, { requiredKeys: [] }),
    },
    { requiredKeys: ['name', 'tool'] },
  );
}

const anySuite: fc.Arbitrary<SuiteInput> = fc
  .tuple(anyCase('one'), anyCase('two'), anyText, fc.array(anyText))
  .map(([one, two, name, args]) => ({ ...smallest, name, server: { command: 'node', args }, cases: [one, two] }));

describe('a written suite', () => {
  it('is read as what was written, whatever its texts and keys are', () => {
    fc.assert(
      fc.property(anySuite, (suite) => {
        expect(parse(writeSuite(suite))).toEqual(JSON.parse(JSON.stringify(suite)));
      }),
      { numRuns: 150 },
    );
  });

  it('is read as the same whatever its comments say', () => {
    fc.assert(
      fc.property(anySuite, anyText, (suite, line) => {
        const notes = {
          head: [line, line],
          cases: new Map([['two', [line]]]),
        };
        expect(parse(writeSuite(suite, notes))).toEqual(JSON.parse(JSON.stringify(suite)));
      }),
      { numRuns: 100 },
    );
  });

  it('holds no character that commands a terminal', () => {
    fc.assert(
      fc.property(anySuite, (suite) => {
        expect(writeSuite(suite)).not.toMatch(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: 100 },
    );
  });

  it('has keys in the order of the form, blocks for long texts, and blank lines between cases', () => {
    const suite: SuiteInput = {
      cases: [
        {
          expect: { content: ['text'], text: 'one\ntwo' },
          arguments: { b: 2, a: [1, 2] },
          tool: 'echo',
          name: 'echo answers',
        },
        { list: 'tools', name: 'tools' },
      ],
      server: { args: ['server.mjs'], command: 'node' },
      name: 'echo',
      version: 1,
    };
    const notes = { head: ['Run it: mcp-exec test suite.yaml'], cases: new Map([['tools', ['All pages of them.']]]) };
    expect(writeSuite(suite, notes)).toBe(`# Run it: mcp-exec test suite.yaml

version: 1
name: echo

server:
  command: node
  args: [server.mjs]

cases:
  - name: echo answers
    tool: echo
    arguments:
      b: 2
      a: [1, 2]
    expect:
      text: |-
        one
        two
      content: [text]

  # All pages of them.
  - name: tools
    list: tools
`);
  });

  it('names its schema in the first line, where it is given', () => {
    const text = writeSuite(smallest, { schema: './suite.schema.json', head: ['About'] });
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/suite\.schema\.json\n# About\n\nversion: 1\n/);
  });
});
