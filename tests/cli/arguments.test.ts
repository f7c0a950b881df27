import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/arguments.js';
import { createFolder } from '../interpreter/scripts.js';

describe('name=value', () => {
  it.each([
    ['a=5', 5],
    ['a=-1.5e3', -1500],
    ['a=true', true],
    ['a=null', null],
    ['a=[1,"x"]', [1, 'x']],
    ['a={"b":{}}', { b: {} }],
    ['a="5"', '5'],
    ['a=five', 'five'],
    ['a=', ''],
    ['a=b=c', 'b=c'],
    ['a=[1', '[1'],
    ['a=9007199254740993', '9007199254740993'],
    ['a:=7', 7],
    ['a={"b":"9007199254740993"}', { b: '9007199254740993' }],
    ['a=1e999', '1e999'],
  ])('%s is read', async (word, value) => {
    expect(await parseArguments([word])).toEqual({ a: value });
  });

  it('takes any text, and gives it back as it was when it is not JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        fc.pre(!text.startsWith('@'));
        const { a } = await parseArguments([`a=${JSON.stringify(text)}`]);
        expect(a).toBe(text);
        expect(Object.keys(await parseArguments([`a=${text}`]))).toEqual(['a']);
      }),
    );
  });

  it('keeps names that mean something to JavaScript', async () => {
    const args = await parseArguments(['__proto__=1', 'constructor=2']);
    expect(Object.entries(args)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
    const inJson = await parseArguments(['a:={"__proto__": 1}'], '{"__proto__": 2}');
    expect(JSON.stringify(inJson)).toBe('{"__proto__":2,"a":{"__proto__":1}}');
  });

  it('reads a file after @', async () => {
    const path = join(await createFolder(), 'data');
    await writeFile(path, '{"a": 1}');
    expect(await parseArguments([`text=@${path}`, `data:=@${path}`], `@${path}`)).toEqual({
      a: 1,
      text: '{"a": 1}',
      data: { a: 1 },
    });
  });

  it('wins over the same name in --args', async () => {
    expect(await parseArguments(['a=1'], '{"a": 2, "b": 3}')).toEqual({ a: 1, b: 3 });
  });
});

describe('wrong arguments', () => {
  it.each([
    [['word'], undefined, '"word" is not of the form name=value'],
    [['=5'], undefined, '"=5" is not of the form name=value'],
    [[':=5'], undefined, '":=5" is not of the form name=value'],
    [['a=1', 'a=2'], undefined, 'Argument a is given twice'],
    [['a:=five'], undefined, 'Argument a is not JSON: five'],
    [['a=@/nowhere/at/all'], undefined, 'Argument a: ENOENT'],
    [['a:=9007199254740993'], undefined, 'Argument a: 9007199254740993 would be rounded; write it in quotes'],
    [['a=["1", -9007199254740993]'], undefined, 'Argument a: -9007199254740993 would be rounded'],
    [[], '{"a": {"b": 1e999}}', '--args: 1e999 would be rounded'],
    [[], '[1]', '--args is not a JSON object'],
    [[], '{', '--args is not JSON: {'],
  ])('%j and %j are refused', async (words, json, message) => {
    await expect(parseArguments(words, json)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(message),
    });
  });
});
