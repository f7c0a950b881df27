import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CallerError } from '../../src/errors.js';
import { commandOf } from '../../src/manifest/command-line.js';
import type { CommandLine, CommandParameter } from '../../src/manifest/manifest.js';
import { numberText } from '../../src/manifest/number-text.js';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';
import { type ArgparseChild, createArgparseChild } from './command-line/argparse-child.js';

function argvOf(args: JsonObject, ...parameters: CommandParameter[]): string[] {
  return commandOf({ words: [], before: [], parameters }, args).argv;
}

const option = (name: string, more: Partial<CommandParameter> = {}): CommandParameter => ({
  name,
  kind: 'option',
  flag: `--${name}`,
  ...more,
});
const positional = (name: string): CommandParameter => ({ name, kind: 'positional' });

describe('Words of a command line', () => {
  it('a flag alone before the name of a subcommand is refused, because it would take that for its value', () => {
    const command: CommandLine = {
      words: ['go'],
      before: [option('log', { bare: true }), option('level')],
      parameters: [],
    };
    expect(() => commandOf(command, { log: true })).toThrow(
      'Argument log: --log would take the subcommand go for its value; give it a value instead of true',
    );
    expect(commandOf(command, { log: 'x' }).argv).toEqual(['--log=x', 'go']);
    expect(commandOf(command, { log: true, level: 2 }).argv).toEqual(['--log', '--level=2', 'go']);
  });

  it('outer parameters, names of subcommands, options and positional arguments stand in this order', () => {
    const command: CommandLine = {
      words: ['remote', 'push'],
      before: [option('file'), { ...option('timeout'), wordsBefore: 1 }],
      parameters: [option('force', { kind: 'flag' }), positional('target')],
    };
    const args = { target: 'origin', force: true, timeout: 2.5, file: 'a b' };
    expect(commandOf(command, args)).toEqual({
      argv: ['--file=a b', 'remote', '--timeout=2.5', 'push', '--force', 'origin'],
    });
  });

  it('what is not given or null is left out', () => {
    expect(argvOf({ a: null }, option('a'), option('b'), positional('c'))).toEqual([]);
  });

  it('a value that begins with a dash stays a value', () => {
    expect(argvOf({ a: '-x' }, option('a'))).toEqual(['--a=-x']);
    expect(argvOf({ a: '-x' }, option('a', { flag: '-a' }))).toEqual(['-a-x']);
    expect(argvOf({ a: 'x' }, option('a', { flag: '-a' }))).toEqual(['-a', 'x']);
    expect(argvOf({ a: '-x', b: 'y' }, positional('a'), positional('b'))).toEqual(['--', '-x', 'y']);
    expect(argvOf({ a: 'x-' }, positional('a'))).toEqual(['x-']);
  });

  it('a value that begins like the flags of the script stays a value too', () => {
    expect(argvOf({ a: '+x', b: 1 }, option('b', { flag: '++b' }), positional('a'))).toEqual(['++b=1', '--', '+x']);
  });

  it('flags are written where they say something', () => {
    const both = { flag: '--on', off: '--off' };
    expect(argvOf({ a: true }, option('a', { kind: 'flag', ...both }))).toEqual(['--on']);
    expect(argvOf({ a: false }, option('a', { kind: 'flag', ...both }))).toEqual(['--off']);
    expect(argvOf({ a: false }, option('a', { kind: 'flag' }))).toEqual([]);
    expect(argvOf({ a: true }, { name: 'a', kind: 'flag', off: '--off' })).toEqual([]);
    expect(argvOf({ a: false }, { name: 'a', kind: 'flag', off: '--off' })).toEqual(['--off']);
  });

  it('counts, lists and groups', () => {
    expect(argvOf({ v: 3 }, option('v', { kind: 'count', flag: '-v' }))).toEqual(['-v', '-v', '-v']);
    expect(argvOf({ v: 0 }, option('v', { kind: 'count' }))).toEqual([]);
    expect(argvOf({ a: ['x', '-y'] }, option('a', { kind: 'append' }))).toEqual(['--a=x', '--a=-y']);
    expect(argvOf({ a: [] }, option('a', { kind: 'append' }))).toEqual([]);
    const groups = [
      [1, 2],
      [3, -4],
    ];
    expect(argvOf({ a: groups }, option('a', { kind: 'append', grouped: true }))).toEqual([
      '--a',
      '1',
      '2',
      '--a',
      '3',
      '-4',
    ]);
    expect(argvOf({ a: ['x', 'y'] }, option('a'))).toEqual(['--a', 'x', 'y']);
    expect(argvOf({ a: [] }, option('a'))).toEqual(['--a']);
  });

  it('an option that takes any number of words does not take the positional ones', () => {
    expect(argvOf({ a: ['x', 'y'], b: 'z' }, option('a'), positional('b'))).toEqual(['--a', 'x', 'y', '--', 'z']);
    expect(argvOf({ a: true, b: 'z' }, option('a', { bare: true }), positional('b'))).toEqual(['--a', '--', 'z']);
    expect(argvOf({ a: ['x'], b: 'z' }, option('a'), positional('b'))).toEqual(['--a=x', 'z']);
  });

  it('a value may be left to the flag', () => {
    const a = option('a', { bare: true });
    expect(argvOf({ a: true }, a)).toEqual(['--a']);
    expect(argvOf({ a: false }, a)).toEqual([]);
    expect(argvOf({ a: 'x' }, a)).toEqual(['--a=x']);
  });

  it('words as they are stand last, and text for standard input stands apart', () => {
    const command: CommandLine = {
      words: [],
      before: [],
      parameters: [option('a'), { name: 'args', kind: 'args' }, { name: 'stdin', kind: 'stdin' }],
    };
    expect(commandOf(command, { args: ['--', '-x', '$(reboot)', ''], stdin: 'in\0put', a: 1 })).toEqual({
      argv: ['--a=1', '--', '-x', '$(reboot)', ''],
      stdin: 'in\0put',
    });
    expect(commandOf(command, {})).toEqual({ argv: [] });
  });

  it('booleans are written as words where a value is asked for', () => {
    expect(argvOf({ a: true, b: [false] }, option('a'), positional('b'))).toEqual(['--a=true', 'false']);
  });
});

describe('Numbers', () => {
  it.each([
    [1e21, '1000000000000000000000'],
    [-0, '-0'],
    [1e-7, '0.0000001'],
    [-1.5e-9, '-0.0000000015'],
    [0.1, '0.1'],
    [2 ** 53, '9007199254740992'],
    [5e-324, `0.${'0'.repeat(323)}5`],
  ])('%d is written without an exponent', (value, text) => {
    expect(numberText(value)).toBe(text);
  });

  it('all are read back as they were', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(numberText(value)).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(numberText(value))).toBe(value);
      }),
    );
  });
});

describe('What cannot be a word', () => {
  it.each<[string, JsonObject, CommandParameter, RegExp]>([
    ['NUL', { a: 'x\0y' }, option('a'), /Argument a: .*NUL/],
    ['NUL in words as they are', { a: ['\0'] }, { name: 'a', kind: 'args' }, /NUL/],
    ['an object', { a: { b: 1 } }, option('a'), /expected a single value .* got \{"b":1\}/],
    ['a list in a list', { a: [[1]] }, positional('a'), /expected a single value/],
    ['null in a list', { a: [null] }, positional('a'), /got null/],
    ['the mark that ends options', { a: '--' }, positional('a'), /the word --/],
    ['one of several values that looks like an option', { a: ['x', '-y'] }, option('a'), /"-y" would be read/],
    ['text for a flag', { a: 'yes' }, option('a', { kind: 'flag' }), /expected true or false/],
    ['a fraction for a count', { a: 1.5 }, option('a', { kind: 'count' }), /how often --a is given/],
    ['a huge count', { a: 1e9 }, option('a', { kind: 'count' }), /0 to 1000/],
    ['a number for standard input', { a: 1 }, { name: 'a', kind: 'stdin' }, /expected text/],
    ['an argument that the command line does not have', { toString: 'x' }, option('a'), /Argument toString: .*no such/],
  ])('%s is refused', (_what, args, parameter, message) => {
    const call = () => argvOf(args, parameter);
    expect(call).toThrow(CallerError);
    expect(call).toThrow(message);
  });

  it('a parameter that is named like something every object has is not given unless it is', () => {
    expect(argvOf({}, option('constructor'))).toEqual([]);
  });
});

describe('argparse reads from the words what the arguments said', () => {
  let child: ArgparseChild;
  beforeAll(async () => {
    child = await createArgparseChild(join(import.meta.dirname, '../fixtures/commands/every_kind_of_argument.py'));
  });
  afterAll(() => child.close());

  const sayableTexts = fc
    .oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '',
        '-',
        '-x',
        '-5',
        '-v',
        '--text',
        '--text=7',
        '---',
        '-1e5',
        '=x',
        '@x',
        'a b',
        '-s 1',
        'plain',
      ),
    )
    .filter((text) => !text.includes('\0') && text !== '--');
  const texts = fc.oneof({ arbitrary: sayableTexts, weight: 99 }, { arbitrary: fc.constant('--'), weight: 1 });
  /** One of several values of an option: those that look like an option are refused, so most do not. */
  const listed = fc.oneof(
    { arbitrary: sayableTexts.filter((text) => !text.startsWith('-')), weight: 29 },
    { arbitrary: texts, weight: 1 },
  );
  const integers = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.bigInt().map(String), fc.constantFrom(1e21, -1e21));
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
  const outer = { label: texts, note: texts };
  const plain = {
    ...outer,
    first: texts,
    rest: fc.array(texts, { maxLength: 4 }),
    text: texts,
    s: texts,
    dashed: texts,
    count: integers,
    ratio: doubles,
    fast: fc.boolean(),
    cache: fc.boolean(),
    colour: fc.boolean(),
    quiet: fc.boolean(),
    verbose: fc.integer({ min: 0, max: 5 }),
    tag: fc.array(texts, { maxLength: 3 }),
    pair: fc.tuple(doubles, doubles),
    pairs: fc.array(fc.tuple(listed, listed), { maxLength: 2 }),
    many: fc.array(listed, { maxLength: 3 }),
    some: fc.array(fc.integer(), { minLength: 1, maxLength: 3 }),
    extended: fc.array(listed, { minLength: 1, maxLength: 3 }),
    maybe: fc.oneof(texts, fc.boolean()),
    choice: fc.constantFrom('a', '-b', '--text'),
    sure: fc.boolean(),
  };
  const numbers = { ...outer, integer: integers, number: doubles, bounded: fc.integer({ min: -5, max: 4 }) };

  it.each([
    ['every_kind_of_argument_plain', fc.record(plain, { requiredKeys: ['label', 'first'] }), 1500],
    ['every_kind_of_argument_numbers', fc.record(numbers, { requiredKeys: ['label', 'integer'] }), 500],
  ] as [string, fc.Arbitrary<JsonObject>, number][])('%s', async (tool, cases, numRuns) => {
    let said = 0;
    await fc.assert(
      fc.asyncProperty(cases, async (args) => {
        const argv = wordsOrRefusal(child.command(tool), args);
        if (argv === undefined) return;
        said += 1;
        expect(await child.difference(tool, args, argv)).toBe('');
      }),
      { numRuns },
    );
    expect(said).toBeGreaterThan(numRuns / 2);
  });

  /** Undefined where the arguments hold what no command line can say, and that is what the refusal is about. */
  function wordsOrRefusal(command: CommandLine, args: JsonObject): string[] | undefined {
    try {
      return commandOf(command, args).argv;
    } catch (error) {
      const name = error instanceof CallerError ? (error.details.argument ?? '') : '';
      expect(sayable(args[name] ?? null)).toBe(false);
      return undefined;
    }
  }

  function sayable(value: JsonValue): boolean {
    if (Array.isArray(value)) return value.every((item) => sayable(item) && !String(item).startsWith('-'));
    return value !== '--';
  }
});
