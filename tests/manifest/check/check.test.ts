import { describe, expect, it } from 'vitest';
import { CallerError } from '../../../src/errors.js';
import { checkArguments, resultProblem } from '../../../src/manifest/check/check.js';
import type { JsonObject, JsonSchema, JsonValue } from '../../../src/toolbox.js';

const digitsAdvice = 'an integer beyond ±9007199254740991 loses digits as a JSON number; send it as a string of digits';
const integer = { type: 'integer' };
const text = { type: 'string' };

describe('what the schema takes as it is', () => {
  it('is passed on as the same object', () => {
    const args = { amount: 3, currency: 'EUR' };
    expect(checkArguments(pay, args)).toBe(args);
  });

  it('an integer written as 3.0 is an integer', () => {
    expect(read(integer, JSON.parse('3.0'))).toBe(3);
  });

  it('a format is not judged, since Python does that', () => {
    expect(read({ type: 'string', format: 'date' }, 'tomorrow')).toBe('tomorrow');
  });

  it('a key called __proto__ is a key like any other', () => {
    const args: JsonObject = JSON.parse('{"x": {"__proto__": "5"}}');
    const checked = checkArguments(taking({ type: 'object', additionalProperties: integer }), args);
    expect(JSON.stringify(checked)).toBe('{"x":{"__proto__":5}}');
    expect(Object.getPrototypeOf(checked.x)).toBe(Object.prototype);
  });

  it('a parameter called toString is missing where it is not given', () => {
    const schema = { type: 'object', properties: { toString: integer }, required: ['toString'] };
    expect(refusal(schema, {}).message).toBe("Arguments: missing 'toString'; the tool takes 'toString'");
  });
});

describe('what is read into a value', () => {
  it.each<[JsonSchema, JsonValue, JsonValue]>([
    [integer, '12', 12],
    [integer, '+007', 7],
    [{ type: 'number' }, '1.5', 1.5],
    [{ type: 'number' }, '.5e3', 500],
    [{ type: 'number' }, 'NaN', 'NaN'],
    [{ type: 'number' }, '-Infinity', '-Infinity'],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'array', items: integer }, '[1, "2"]', [1, 2]],
    [{ type: 'object', additionalProperties: integer }, ' {"a": "1"}', { a: 1 }],
    [{ enum: [1, 2], 'x-enum-names': ['LOW', 'HIGH'] }, 'HIGH', 2],
    [{ enum: [1, 2] }, '2', 2],
    [{ const: true }, 'true', true],
    [{ type: ['integer', 'null'] }, '4', 4],
    [{ prefixItems: [integer, text], type: 'array' }, ['1', '1'], [1, '1']],
    [{ allOf: [integer, { minimum: 1 }] }, '4', 4],
    [
      { type: 'object', patternProperties: { '^n': integer } },
      { n: '1', m: '1' },
      { n: 1, m: '1' },
    ],
  ])('%j takes %j as %j', (schema, given, expected) => {
    expect(read(schema, given)).toEqual(expected);
  });

  it.each<[JsonSchema, JsonValue]>([
    [integer, '1_000'],
    [integer, ' 1'],
    [integer, '1.0'],
    [integer, true],
    [integer, ''],
    [integer, '1'.repeat(4301)],
    [{ type: 'number' }, 'nan'],
    [{ type: 'number' }, '0x10'],
    [{ type: 'number' }, '1e400'],
    [{ type: 'boolean' }, 'True'],
    [{ type: 'boolean' }, 1],
    [text, 5],
    [text, ['a']],
    [{ type: 'array' }, '{"a": 1}'],
    [{ type: 'array' }, '[1'],
    [{ type: 'array' }, '[NaN]'],
    [{ enum: ['1'] }, 1],
    [{ enum: [1] }, true],
    [{ type: 'null' }, 'null'],
  ])('%j does not take %j', (schema, given) => {
    expect(refusal(taking(schema), { x: given }).code).toBe('INVALID_ARGUMENTS');
  });

  it('digits beyond 2^53 stay text, also inside of JSON text and beside values that change', () => {
    const schema = taking({ type: 'array', items: { allOf: [integer, { minimum: 1 }] } });
    const given = { x: '["12345678901234567890", "5", 7]' };
    expect(checkArguments(schema, given)).toEqual({ x: ['12345678901234567890', 5, 7] });
  });

  it('digits beyond 2^53 are held against the bounds', () => {
    expect(refusal(taking({ ...integer, maximum: 10 }), { x: '9'.repeat(400) }).message).toContain(
      'expected at most 10',
    );
  });

  it('a number beyond 2^53 is refused where an integer is asked, and taken where a number is', () => {
    expect(refusal(taking(integer), { x: 2 ** 53 }).message).toBe(`Argument x: ${digitsAdvice}`);
    expect(read({ type: 'number' }, 2 ** 60)).toBe(2 ** 60);
    expect(read({}, 2 ** 60)).toBe(2 ** 60);
    expect(read({ anyOf: [integer, { type: 'number' }] }, 2 ** 60)).toBe(2 ** 60);
    expect(refusal(taking({ type: ['string', 'number'], format: 'decimal' }), { x: 1e20 }).message).toContain(
      digitsAdvice,
    );
    expect(refusal(taking({ anyOf: [integer, { type: 'null' }] }), { x: -(2 ** 53) }).message).toContain(digitsAdvice);
  });

  it('a number beyond all bounds is no number', () => {
    expect(refusal(taking({ type: 'number' }), { x: Number.POSITIVE_INFINITY }).message).toBe(
      'Argument x: expected a finite number',
    );
  });

  it('as many values as there are, are read', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => String(index));
    const schema = taking({ type: 'array', items: { anyOf: [integer, { type: 'null' }] } });
    expect(checkArguments(schema, { x: many })).toEqual({ x: many.map(Number) });
  });

  it('the given arguments are left as they are', () => {
    const args = Object.freeze({ x: Object.freeze(['1']) });
    expect(checkArguments(taking({ type: 'array', items: integer }), args)).toEqual({ x: [1] });
    expect(args).toEqual({ x: ['1'] });
  });
});

describe('a union', () => {
  it('first takes a value by its own form, then reads it in order', () => {
    expect(read({ anyOf: [integer, text] }, '5')).toBe('5');
    expect(read({ anyOf: [integer, { type: 'null' }] }, '5')).toBe(5);
    expect(
      read(
        {
          anyOf: [
            { type: 'array', items: integer },
            { type: 'array', items: text },
          ],
        },
        ['5'],
      ),
    ).toEqual(['5']);
    expect(read({ anyOf: [{ type: 'array', items: integer }, text] }, '[1]')).toBe('[1]');
    expect(read({ anyOf: [{ type: 'number' }, { type: 'array', items: integer }] }, '[1]')).toEqual([1]);
    expect(read({ anyOf: [{ ...integer, minimum: 5 }, { type: 'boolean' }, { ...integer, maximum: 4 }] }, '4')).toBe(4);
  });

  it('of trees is read in linear time', () => {
    let tree: JsonValue = { kind: 'leaf', value: '1' };
    for (let depth = 0; depth < 60; depth += 1) tree = { kind: 'add', parts: [tree, { kind: 'leaf', value: 2 }] };
    const checked = checkArguments(expression, { x: tree });
    expect(JSON.stringify(checked)).toContain('"value":1}');
    expect(refusal(expression, { x: { kind: 'add', parts: [tree, { kind: 'sub' }] } }).message).toBe(
      "Argument x.parts[1].kind: expected 'leaf' or 'add', got the string 'sub'",
    );
  });

  it('that would take for ever to read is still decided', () => {
    const list = { type: 'array', items: { $ref: '#/$defs/A' } };
    const schema = {
      ...taking({ $ref: '#/$defs/A' }),
      $defs: { A: { anyOf: [list, { ...list, minItems: 1 }, integer] } },
    };
    let deep: JsonValue = 'x';
    for (let depth = 0; depth < 100; depth += 1) deep = [deep];
    expect(refusal(schema, { x: deep }).message).toContain("expected an array or an integer, got the string 'x'");
  });
});

describe('a refusal', () => {
  it('names every missing and unknown argument, with what was probably meant', () => {
    const error = refusal(pay, { amuont: 3 });
    expect(error.message).toBe(
      "Arguments: missing 'amount'; unknown 'amuont' (did you mean 'amount'?); pay takes 'amount', 'currency'",
    );
    expect(error.details.argument).toBe('amount');
  });

  it('says where, what was expected and what came', () => {
    const error = refusal(shop, { items: [{ name: 'a' }, { name: 'b' }, { name: 'c', price: 'abc' }] });
    expect(error.message).toBe("Argument items[2].price: expected a number, got the string 'abc'");
    expect(error.details.argument).toBe('items[2].price');
  });

  it('names all that is wrong, up to five', () => {
    const items: JsonValue[] = [
      {},
      { name: 1 },
      { name: 'x', price: -1 },
      5,
      { nams: 'x' },
      { name: null },
      { name: true },
    ];
    expect(refusal(shop, { items }).message).toBe(
      [
        "Argument items[0]: missing 'name'; Item takes 'name', 'price'",
        'Argument items[1].name: expected a string, got the number 1',
        'Argument items[2].price: expected at least 0, got -1',
        'Argument items[3]: expected an object (Item), got the number 5',
        "Argument items[4]: missing 'name'; unknown 'nams' (did you mean 'name'?); Item takes 'name', 'price'",
        'and 2 more problems',
      ].join('\n'),
    );
  });

  it.each<[JsonSchema, JsonValue, string]>([
    [{ anyOf: [integer, { type: 'null' }] }, 'x', "expected an integer or null, got the string 'x'"],
    [
      { anyOf: [{ type: 'array', items: integer }, { type: 'null' }] },
      ['x'],
      "expected an integer, got the string 'x'",
    ],
    [{ anyOf: [{ ...integer, minimum: 1 }, { type: 'null' }] }, 0, 'expected at least 1, got 0'],
    [{ enum: ['red', 'blue'] }, 'reed', "expected one of 'red', 'blue', got the string 'reed' (did you mean 'red'?)"],
    [{ const: 'a' }, null, "expected 'a', got null"],
    [{ ...integer, exclusiveMinimum: 0 }, 0, 'expected more than 0, got 0'],
    [{ ...integer, maximum: 9 }, 10, 'expected at most 9, got 10'],
    [{ ...integer, exclusiveMaximum: 9 }, '9', 'expected less than 9, got 9'],
    [{ ...integer, multipleOf: 5 }, 7, 'expected a multiple of 5, got 7'],
    [{ ...text, minLength: 2 }, '🙂', "expected at least 2 characters, got the string '🙂'"],
    [{ ...text, maxLength: 1 }, 'ab', "expected at most 1 character, got the string 'ab'"],
    [{ ...text, pattern: '^[a-z]+$' }, 'A', "expected text that matches '^[a-z]+$', got the string 'A'"],
    [{ type: 'array', minItems: 1 }, [], 'expected at least 1 item, got an array of 0 items'],
    [
      { type: 'array', prefixItems: [integer], items: false, minItems: 1, maxItems: 1 },
      [1, 2],
      'expected an array of 1 item, got an array of 2 items',
    ],
    [{ prefixItems: [integer], items: false }, [1, 2], 'expected at most 1 item, got an array of 2 items'],
    [{ prefixItems: [integer, false] }, [1, 2], 'nothing is taken here'],
    [{ type: 'object', minProperties: 1 }, {}, 'expected at least 1 key, got an empty object'],
    [
      { type: 'object', propertyNames: { pattern: '^[0-9]+$' } },
      { a: 1 },
      "as a key: expected text that matches '^[0-9]+$', got the string 'a'",
    ],
    [{ type: 'string', format: 'date' }, 5, "expected a date such as '2024-05-17', got the number 5"],
    [{ type: 'string', contentEncoding: 'base64' }, 5, 'expected bytes as base64 text, got the number 5'],
    [text, { a: 1, b: 2 }, "expected a string, got an object with the keys 'a', 'b'"],
    [integer, "it's", `expected an integer, got the string "it's"`],
    [integer, `${'x'.repeat(70)}`, `expected an integer, got the string '${'x'.repeat(59)}…'`],
  ])('%j and %j: %s', (schema, given, reason) => {
    expect(refusal(taking(schema), { x: given }).message).toContain(`: ${reason}`);
  });

  it('shortens a long list of choices', () => {
    const many = Array.from({ length: 40 }, (_, index) => `choice${index}`);
    expect(refusal(taking({ enum: many }), { x: '' }).message).toContain(
      "'choice11', … (40 in all), got the string ''",
    );
  });

  it('of what only the validator has words for still says where', () => {
    expect(refusal(taking({ type: 'array', uniqueItems: true }), { x: [1, 1] }).message).toContain('Argument x: ');
    expect(refusal(taking({ not: text }), { x: '' }).message).toContain('Argument x: ');
  });

  it('of very many values names a few', () => {
    const many = Array.from({ length: 200_000 }, () => 'x');
    const { message } = refusal(taking({ type: 'array', items: integer }), { x: many });
    expect(message.split('\n').slice(4)).toEqual([
      "Argument x[4]: expected an integer, got the string 'x'",
      'and many more problems',
    ]);
  });

  it('of a value nested beyond the stack is no crash', () => {
    const deep: JsonObject = JSON.parse(`{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    const schema = { ...taking({ $ref: '#/$defs/A' }), $defs: { A: { type: 'array', items: { $ref: '#/$defs/A' } } } };
    expect(refusal(schema, deep).message).toBe('Arguments: nested too deeply');
  });
});

describe('a schema', () => {
  it('that is none is an error that names it, each time', () => {
    for (const _ of [1, 2]) {
      const error = refusal({ type: 'object', title: 'pay', properties: { x: { type: 'strin' } } }, {});
      expect(error.code).toBe('INVALID_MANIFEST');
      expect(error.message).toMatch(/^The input schema of pay cannot be used: .*strin/);
    }
  });

  it('with a reference to nothing is an error that names it', () => {
    expect(refusal(taking({ $ref: '#/$defs/Nothing' }), { x: 1 }).message).toContain('#/$defs/Nothing');
  });

  it('that refers to itself without end is no crash', () => {
    const schema = { ...taking({ $ref: '#/$defs/A' }), $defs: { A: { $ref: '#/$defs/A' } } };
    expect(() => checkArguments(schema, { x: 1 })).toThrow(CallerError);
  });

  it('with a pattern of Python is read, or left to Python', () => {
    expect(read({ ...text, pattern: '\\A(?P<a>x)\\Z' }, 'x')).toBe('x');
    expect(refusal(taking({ ...text, pattern: '\\A(?P<a>x)\\Z' }), { x: 'xx' }).code).toBe('INVALID_ARGUMENTS');
    expect(read({ ...text, pattern: '(?i:a)(?#comment)' }, 'anything')).toBe('anything');
  });

  it('may name its own dialect and carry words of its own', () => {
    const schema = { ...taking(integer), $schema: 'https://json-schema.org/draft/2020-12/schema', 'x-mine': 1 };
    expect(checkArguments(schema, { x: '1' })).toEqual({ x: 1 });
  });
});

describe('a result', () => {
  it('that fits has no problem', () => {
    expect(resultProblem(taking(integer), { x: 1 })).toBeUndefined();
  });

  it('is not forgiven, since a client would not', () => {
    const items = { type: 'object', properties: { items: { type: 'array', items: integer } } };
    expect(resultProblem(items, { items: ['x'] })).toBe("result.items[0]: expected an integer, got the string 'x'");
    expect(resultProblem(items, { items: ['5'] })).toBe("result.items[0]: expected an integer, got the string '5'");
  });

  it('under its key is called by that', () => {
    const schema = { type: 'object', properties: { result: { type: 'array', items: integer } }, required: ['result'] };
    expect(resultProblem(schema, { result: [1, null] }, 'result')).toBe('result[1]: expected an integer, got null');
  });

  it('of a number that is text is explained as a number', () => {
    const schema = taking({ type: ['integer', 'string'], pattern: '^-?[0-9]{16,}$' });
    expect(resultProblem(schema, { x: '12345678901234567890' })).toBeUndefined();
    expect(resultProblem(schema, { x: 'x' })).toBe("result.x: expected an integer, got the string 'x'");
  });

  it('against a schema that is none says so', () => {
    expect(resultProblem({ type: 'nothing' }, {})).toContain('the output schema cannot be used');
  });
});

const pay = {
  type: 'object',
  title: 'pay',
  properties: { amount: integer, currency: text },
  required: ['amount'],
  additionalProperties: false,
};

const shop = {
  type: 'object',
  properties: { items: { type: 'array', items: { $ref: '#/$defs/Item' } } },
  required: ['items'],
  additionalProperties: false,
  $defs: {
    Item: {
      type: 'object',
      title: 'Item',
      properties: { name: text, price: { type: 'number', minimum: 0 } },
      required: ['name'],
      additionalProperties: false,
    },
  },
};

const expression = {
  ...taking({ $ref: '#/$defs/Expression' }),
  $defs: {
    Expression: { anyOf: [{ $ref: '#/$defs/Leaf' }, { $ref: '#/$defs/Add' }] },
    Leaf: { type: 'object', properties: { kind: { const: 'leaf' }, value: integer }, additionalProperties: false },
    Add: {
      type: 'object',
      properties: { kind: { const: 'add' }, parts: { type: 'array', items: { $ref: '#/$defs/Expression' } } },
      additionalProperties: false,
    },
  },
};

function taking(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { x: schema }, required: ['x'], additionalProperties: false };
}

function read(schema: JsonSchema, value: JsonValue): JsonValue | undefined {
  return checkArguments(taking(schema), { x: value }).x;
}

function refusal(schema: JsonSchema, args: JsonObject): CallerError {
  try {
    checkArguments(schema, args);
  } catch (error) {
    if (error instanceof CallerError) return error;
    throw error;
  }
  throw new Error('it was taken');
}
