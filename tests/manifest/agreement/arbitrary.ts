import fc from 'fast-check';
import type { Annotation } from './annotations.js';

const formats = ['bytes', 'Decimal', 'complex', 'date', 'time', 'datetime', 'timedelta', 'UUID', 'Path', 're.Pattern'];
const plain = ['int', 'float', 'bool', 'str', 'None', 'Any'];

const scalar = fc
  .constantFrom(...plain, ...plain, ...plain, ...formats)
  .map((name) => ({ kind: 'scalar', name }) as const);
const hashableScalar = fc
  .constantFrom('int', 'float', 'bool', 'str', 'None', 'date')
  .map((name) => ({ kind: 'scalar', name }) as const);
const literal = fc
  .uniqueArray(fc.constantFrom<string | number | boolean | null>('a', 'b', '1', 'true', 1, 2, -3, true, false, null), {
    minLength: 1,
    maxLength: 4,
  })
  .map((values) => ({ kind: 'literal', values }) as const);
const enumeration = fc.constantFrom<Extract<Annotation, { kind: 'enum' }>>(
  {
    kind: 'enum',
    base: 'Enum',
    members: [
      ['RED', 'red'],
      ['BLUE', 'blue'],
    ],
  },
  {
    kind: 'enum',
    base: 'Enum',
    members: [
      ['a', 'a'],
      ['b', 'b'],
    ],
  },
  {
    kind: 'enum',
    base: 'IntEnum',
    members: [
      ['LOW', 1],
      ['HIGH', 2],
    ],
  },
  {
    kind: 'enum',
    base: 'Enum',
    members: [
      ['HALF', 0.5],
      ['ONE', 1],
      ['WORD', 'word'],
    ],
  },
  {
    kind: 'enum',
    base: 'str, Enum',
    members: [
      ['RED', 'red'],
      ['AZURE', 'blue'],
      ['BLUE', 'blue'],
    ],
  },
);
const int = { kind: 'scalar', name: 'int' } as const;
const float = { kind: 'scalar', name: 'float' } as const;
const str = { kind: 'scalar', name: 'str' } as const;
const bounded = fc.oneof(
  boundedBy(
    [
      int,
      float,
      { kind: 'optional', of: int },
      { kind: 'union', of: [float, str] },
      { kind: 'scalar', name: 'Decimal' },
    ],
    ['Ge(0)', 'Gt(-1)', 'Le(5)', 'Lt(2)', 'MultipleOf(2)', 'Gt(0.5)', 'Field(ge=1, lt=9)', '"some words"'],
  ),
  boundedBy(
    [
      str,
      { kind: 'list', of: int },
      { kind: 'dict', key: str, of: int },
      { kind: 'tuple-of', of: { kind: 'scalar', name: 'Any' } },
      { kind: 'optional', of: { kind: 'list', of: str } },
      { kind: 'union', of: [str, { kind: 'list', of: int }] },
      { kind: 'set', of: int },
      { kind: 'scalar', name: 'bytes' },
    ],
    ['MinLen(1)', 'MaxLen(1)', 'MaxLen(2)', 'MinLen(2)', 'Field(min_length=1, max_length=3)'],
  ),
  boundedBy(
    [str, { kind: 'optional', of: str }],
    ['Field(pattern="^[a-z]*$")', 'Field(pattern="1")', 'Field(min_length=1)'],
  ),
);

function boundedBy(kinds: readonly Annotation[], bounds: readonly string[]): fc.Arbitrary<Annotation> {
  const some = fc.uniqueArray(fc.constantFrom(...bounds), { minLength: 1, maxLength: 3 });
  return fc.tuple(fc.constantFrom(...kinds), some).map(([of, chosen]) => ({ kind: 'bounded', of, bounds: chosen }));
}

const hashable: fc.Arbitrary<Annotation> = fc.oneof(
  { weight: 3, arbitrary: hashableScalar },
  literal,
  enumeration,
  fc.array(hashableScalar, { maxLength: 2 }).map((of): Annotation => ({ kind: 'tuple', of })),
  hashableScalar.map((of): Annotation => ({ kind: 'optional', of })),
);
const key: fc.Arbitrary<Annotation> = fc.oneof(
  fc.constantFrom('str', 'int', 'float', 'bool', 'Any').map((name): Annotation => ({ kind: 'scalar', name })),
  literal,
  enumeration,
);

export const annotations: fc.Arbitrary<Annotation> = fc.letrec<{ any: Annotation }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 5, arbitrary: scalar },
    { weight: 2, arbitrary: bounded },
    literal,
    enumeration,
    fc.record({
      kind: fc.constantFrom('optional', 'list', 'deque', 'tuple-of'),
      of: tie('any'),
    }) as fc.Arbitrary<Annotation>,
    hashable.map((of): Annotation => ({ kind: 'set', of })),
    tie('any').map((of): Annotation => ({ kind: 'recursive', of })),
    {
      weight: 3,
      arbitrary: fc.array(tie('any'), { minLength: 2, maxLength: 3 }).map((of): Annotation => ({ kind: 'union', of })),
    },
    fc.array(tie('any'), { maxLength: 3 }).map((of): Annotation => ({ kind: 'tuple', of })),
    fc.record({ key, of: tie('any') }).map((parts): Annotation => ({ kind: 'dict', ...parts })),
    {
      weight: 2,
      arbitrary: fc
        .record({
          form: fc.constantFrom('dataclass', 'TypedDict', 'NamedTuple'),
          fields: fc.array(fc.record({ of: tie('any'), optional: fc.boolean() }), { maxLength: 3 }),
        })
        .map((parts): Annotation => ({ kind: 'record', ...parts })),
    },
  ),
})).any;
