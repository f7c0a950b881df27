import fc from 'fast-check';
import type { JsonValue } from '../../../src/toolbox.js';
import { type Annotation, fieldNames } from './annotations.js';

/** Values that fit the annotation, almost fit it, or come from somewhere else. */
export function valuesFor(annotation: Annotation): fc.Arbitrary<JsonValue> {
  const fitting = fittingFor(annotation);
  return fc.oneof(
    { weight: 9, arbitrary: fitting },
    { weight: 2, arbitrary: strays },
    { weight: 1, arbitrary: fitting.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))) },
  );
}

const strays = fc.constantFrom<JsonValue>(
  ...[
    null,
    true,
    false,
    0,
    1,
    2,
    -1,
    1.5,
    2 ** 53,
    -(2 ** 53),
    1e17,
    1e21,
    1e300,
    '',
    'a',
    'b',
    'red',
    'RED',
    'LOW',
    'ONE',
  ],
  ...[
    '1',
    '+7',
    '-5',
    '007',
    '1.5',
    '1.0',
    '.5',
    '1e3',
    '1e400',
    'NaN',
    'Infinity',
    '-Infinity',
    'true',
    'True',
    'null',
    ' 1',
    '1_0',
  ],
  ...[
    '12345678901234567890',
    '-12345678901234567890',
    '[1]',
    '["a", "1"]',
    ' [1]',
    '[1',
    '[NaN]',
    '[1e400]',
    '{"a": 1}',
    '{}',
    '[]',
  ],
  ...['2024-05-17', '2024-05-17T10:00:00Z', '10:00', 'P1D', 'YWJj', '1+2j', '🙂', 'text'],
  [],
  [1],
  ['1'],
  [null],
  ['a', 2],
  {},
  { a: 1 },
  { '1': '2' },
  { kind: 1 },
  { kind: 'a', size: '2' },
  JSON.parse('{"__proto__": 1}'),
);

function fittingFor(annotation: Annotation): fc.Arbitrary<JsonValue> {
  switch (annotation.kind) {
    case 'scalar':
      return fittingScalar(annotation.name);
    case 'bounded':
      return valuesFor(annotation.of);
    case 'optional':
      return fc.oneof(fc.constant(null), valuesFor(annotation.of));
    case 'list':
    case 'set':
    case 'deque':
    case 'tuple-of':
      return fc.array(valuesFor(annotation.of), { maxLength: 3 });
    case 'union':
      return fc.oneof(...annotation.of.map(valuesFor));
    case 'tuple':
      return fc.tuple(...annotation.of.map(valuesFor));
    case 'dict':
      return fc.dictionary(keysFor(annotation.key), valuesFor(annotation.of), { maxKeys: 2 });
    case 'literal':
      return fc.oneof(fc.constantFrom(...annotation.values), fc.constantFrom(...annotation.values).map(String));
    case 'enum':
      return fc.constantFrom(...annotation.members.flatMap(([name, value]) => [name, value, String(value)]));
    case 'recursive':
      return nodesOf(valuesFor(annotation.of));
    case 'record':
      return recordsFor(annotation.fields);
  }
}

function nodesOf(kind: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  const leaf = fc.record({ kind });
  const tree = fc.record({ kind, size: fc.oneof(fc.constant(null), fc.array(leaf, { maxLength: 2 })) });
  return fc.oneof(leaf, tree, fc.record({ kind, size: fc.array(tree, { maxLength: 2 }) }));
}

function recordsFor(
  fields: readonly { readonly of: Annotation; readonly optional: boolean }[],
): fc.Arbitrary<JsonValue> {
  const model = Object.fromEntries(fields.map(({ of }, index) => [fieldNames[index] ?? '', valuesFor(of)]));
  const whole: fc.Arbitrary<JsonValue> = fc.record(model);
  const required = Object.keys(model).filter((_, index) => fields[index]?.optional !== true);
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 2, arbitrary: fc.record(model, { requiredKeys: required }) },
    { weight: 1, arbitrary: fc.record({ ...model, more: fc.constant(1) }, { requiredKeys: [] }) },
  );
}

function keysFor(annotation: Annotation): fc.Arbitrary<string> {
  return fc.oneof(
    fittingFor(annotation).map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    fc.constantFrom('1', '-2', '1.5', 'true', 'a', '', '__proto__'),
  );
}

const formatTexts: Readonly<Record<string, readonly JsonValue[]>> = {
  bytes: ['YWJj', ''],
  Decimal: ['1.50', 2, 1.5, 2 ** 53],
  complex: ['1+2j', 1],
  date: ['2024-05-17'],
  time: ['10:00'],
  datetime: ['2024-05-17T10:00:00Z', '2024-05-17'],
  timedelta: ['P1D', 60],
  UUID: ['12345678-1234-5678-1234-567812345678'],
  Path: ['a/b', ''],
  're.Pattern': ['a+', '('],
};

function fittingScalar(name: string): fc.Arbitrary<JsonValue> {
  switch (name) {
    case 'int':
      return fc.oneof(
        fc.integer({ min: -4, max: 9 }),
        fc.maxSafeInteger(),
        fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
      );
    case 'float':
      return fc.oneof(
        fc.integer({ min: -4, max: 9 }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.double().map(String),
      );
    case 'bool':
      return fc.constantFrom<JsonValue>(true, false, 'true', 'false');
    case 'str':
      return fc.oneof(fc.string({ maxLength: 3 }), fc.string({ unit: 'grapheme', maxLength: 3 }));
    case 'None':
      return fc.constant(null);
    case 'Any':
      return strays;
    default:
      return fc.constantFrom(...(formatTexts[name] ?? ['']));
  }
}
