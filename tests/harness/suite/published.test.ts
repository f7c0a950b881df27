import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { suiteSchema } from '../../../src/harness/suite/schema.js';
import { lines, suiteFolder } from './texts.js';

const folder = suiteFolder({ 'check.py': 'check(True)\n', 'user.json': '{}' });
const published = z.toJSONSchema(suiteSchema, { io: 'input', unrepresentable: 'any' });
const fits = new Ajv2020({ strict: false }).compile(published);

/** Every key of the form, with every kind of value that it takes. */
const whole = `
$schema: ./suite.schema.json
version: 1
name: everything
description: All that a suite may say.
server: { command: node, args: [server.mjs], env: { A: b }, start_timeout: 10s }
isolation: shared
capabilities: [tools, resources.subscribe]
variables: { who: Ada, root: "{{ temp }}/files", list: [1, { a: null }] }
files: { notes/a.txt: "hello {{ who }}" }
timeout: 5s
retry: 1
parallel: 4
checks: { schemas: true, unknown: false, large: { tool: echo, argument: message } }
conformance: { expected_failures: [ping], timeout: 2m }
setup:
  - { name: first, tool: start, arguments: { root: "{{ root }}" }, capture: { session: $.structuredContent.id } }
teardown:
  - tool: stop
cases:
  - name: adds {{ a }} and {{ b }}
    description: Sums.
    tool: add
    arguments: { a: "{{ a }}", b: "{{ b }}" }
    each: [{ a: 1, b: 2, sum: 3 }, { a: -1, b: 1, sum: 0 }]
    tags: [quick]
    timeout: 2000
    repeat: 2
    retry: 0
    isolation: case
    expect:
      error: false
      text: "{{ sum }}"
      data: { $.sum: "{{ sum }}", $.parts: { type: array, length: 2 }, "$.parts[0]": { min: 0, max: 9 } }
      fields: { $.isError: { exists: false }, "$.content[0].text": { pattern: ^\\d+$, contains: "3", length: { max: 3 } } }
      schema: user.json
      output_schema: false
      content: [text, { type: image, mime: image/png }]
      snapshot: { name: sum, ignore: [$.at] }
      progress: { min: 1, max: 3, total: 10, message: { contains: [half] } }
      logs: { min: 1, level: warning, message: done }
      latency: 200ms
      memory: 64MB
    validate:
      - check(True)
      - { file: check.py, function: check, when: both, allow: { read: [.], net: true }, timeout: 1s, memory: 1GiB }
    capture: { sum: $.structuredContent.sum, first: { text: "(\\\\d+)" }, second: { data: $.sum } }
  - name: refuses
    tool: add
    expect: { error: { code: -32602, message: { pattern: [a, b], excludes: secret } }, snapshot: true }
    depends_on: adds {{ a }} and {{ b }}
    validate: { script: pass, allow: all }
  - { name: reads, resource: "file://{{ root }}/a.txt", setup: [{ list: resources }], teardown: [{ request: ping, params: {} }] }
  - { name: greets, prompt: hello, arguments: { name: "{{ who }}" }, skip: not yet }
  - { name: is quick, tool: add, load: { clients: 4, count: 100, warmup: 1, p50: 10ms, p95: 20, p99: 1s, rate: 5, errors: 0 } }
`;

describe('the published form of a suite', () => {
  it('is fitted by a suite that says everything, which is read', async () => {
    const document: unknown = parse(whole);
    expect(fits(document), JSON.stringify(fits.errors)).toBe(true);
    const suite = await folder.read(whole);
    expect(suite.cases.map(({ id }) => id)).toEqual([
      'adds 1 and 2',
      'adds -1 and 1',
      'refuses',
      'reads',
      'greets',
      'is quick',
    ]);
    expect(suite.cases[2]?.after).toEqual(['adds 1 and 2', 'adds -1 and 1']);
  });

  it.each([
    'checks: all',
    'checks: schemas',
    'checks: [stdout, schemas]',
    'cases: [{ name: a, tool: t, each: [{ n: 1 }], expect: { latency: "{{ n }}", data: { $.a: { min: "{{ n }}", length: "{{n}}" } } } }]',
  ])('is fitted by %s, which is read', async (line) => {
    expect(fits(parse(lines(line))), JSON.stringify(fits.errors)).toBe(true);
    expect(await folder.mistakes(lines(line))).toEqual([]);
  });

  it.each([
    'timeout: soon',
    'parallel: 0',
    'checks: [nothing]',
    'checks: nothing',
    'cases: [{ name: a, tool: t, expect: { data: { $.a: { min: lots } } } }]',
    'case: []',
    'cases: [{ name: a }]',
    'cases: [{ name: a, tool: t, prompt: p }]',
    'cases: [{ name: a, tool: t, expect: { txt: x } }]',
    'cases: [{ name: a, tool: t, validate: { when: never, script: x } }]',
  ])('is not fitted by %s', async (line) => {
    expect(fits(parse(lines(line)))).toBe(false);
    expect(await folder.mistakes(lines(line))).toHaveLength(1);
  });

  it('describes every key of the suite and of a case', () => {
    const undescribed = describedOf(published).filter(({ description }) => description === undefined);
    expect(undescribed.map(({ name }) => name)).toEqual([]);
  });
});

function describedOf(schema: z.core.JSONSchema.BaseSchema) {
  const definitions = schema.$defs ?? {};
  return [schema, definitions.case, definitions.step, definitions.expect].flatMap((part) =>
    Object.entries(part?.properties ?? {}).map(([name, property]) => ({
      name,
      description: typeof property === 'object' ? property.description : undefined,
    })),
  );
}
