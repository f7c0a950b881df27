import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';
import { describeWithEngine, failureOf, fixture, folderWith } from './harness.js';

const echoes = fixture('echoes.py');
const odd = fixture('returns_odd_values.py');

describeWithEngine('Values on their way to Python and back', { idleChildren: 1 }, (engine, launcher) => {
  const bigIntegers = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  const isSafe = (integer: bigint) => Number.isSafeInteger(Number(integer));
  const isoDate = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  const dateTimes = isoDate.map((date) =>
    date
      .toISOString()
      .replace(/\.000Z$|Z$/, '+00:00')
      .replace(/(\.\d{3})\+/, '$1000+'),
  );

  it.each<[string, fc.Arbitrary<JsonValue>]>([
    ['unannotated', fc.jsonValue({ maxDepth: 6 }).filter(hasNoUnsafeInteger) as fc.Arbitrary<JsonValue>],
    ['integers', fc.maxSafeInteger()],
    ['integers', bigIntegers.filter((integer) => !isSafe(integer)).map(String)],
    ['floats', fc.double({ noNaN: true, noDefaultInfinity: true })],
    ['booleans', fc.boolean()],
    ['texts', fc.string({ unit: 'binary' })],
    ['texts', fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))],
    ['byte_strings', fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64'))],
    ['decimals', fc.tuple(bigIntegers, fc.nat()).map(([whole, rest]) => `${whole}.${rest}`)],
    ['uuids', fc.uuid()],
    ['paths', fc.array(fc.uuid(), { minLength: 1 }).map((parts) => `/${parts.join('/')}`)],
    ['dates', dateTimes.map((text) => text.slice(0, 10))],
    ['datetimes', dateTimes],
    ['times', dateTimes.map((text) => text.slice(11, 19))],
    ['sets', fc.uniqueArray(fc.maxSafeInteger()).map((numbers) => numbers.sort((a, b) => a - b))],
    ['pairs', fc.tuple(fc.maxSafeInteger(), fc.string())],
    ['tables', fc.dictionary(fc.string({ unit: 'binary' }), fc.option(fc.maxSafeInteger()))],
    ['tables_by_number', fc.dictionary(fc.maxSafeInteger().map(String), fc.string())],
    ['enums', fc.constantFrom('red', 'green')],
  ])('%s arrive and return unchanged', async (name, values) => {
    const batches = fc.array(values, { minLength: 50, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const { value } = await engine().call({ script: echoes, function: name, args: { values: batch } });
        expect(value).toEqual(JSON.parse(JSON.stringify(batch)));
      }),
      { numRuns: launcher === 'fork' ? 10 : 1 },
    );
  });

  it('become what the annotations ask for', async () => {
    const args = {
      integer: 7,
      big: '123456789012345678901234567890',
      number: 3,
      flag: true,
      text: 'é 🐍',
      data: 'AP8=',
      nothing: null,
      items: [1, 2],
      pair: [1, 'a'],
      unique: [1, 1],
      table: { 1: 2 },
      maybe: 5,
      either: '5',
      mode: 3,
      color: 'red',
      item: { name: 'ink', tags: ['a'] },
      options: { depth: 2, since: '2024-05-17' },
      point: { x: 1 },
      moment: '2024-05-17T10:30:00Z',
      day: '2024-05-17',
      hour: '10:30:00',
      span: 'PT90S',
      id: '12345678-1234-5678-1234-567812345678',
      price: '1.10',
      path: 'a/b.txt',
    };
    const { value } = await engine().call({ script: fixture('shows_what_arrived.py'), function: 'show', args });
    expect(value).toEqual({
      integer: '7',
      big: '123456789012345678901234567890',
      number: '3.0',
      flag: 'True',
      text: "'é 🐍'",
      data: "b'\\x00\\xff'",
      nothing: 'None',
      items: '[1, 2]',
      pair: "(1, 'a')",
      unique: '{1}',
      table: '{1: 2.0}',
      maybe: '5',
      either: "'5'",
      mode: '3',
      color: "<Color.RED: 'red'>",
      item: "Item(name='ink', price=1.0, tags={'a'})",
      options: "{'depth': 2, 'since': datetime.date(2024, 5, 17)}",
      point: 'Point(x=1, y=0)',
      moment: 'datetime.datetime(2024, 5, 17, 10, 30, tzinfo=datetime.timezone.utc)',
      day: 'datetime.date(2024, 5, 17)',
      hour: 'datetime.time(10, 30)',
      span: 'datetime.timedelta(seconds=90)',
      id: "UUID('12345678-1234-5678-1234-567812345678')",
      price: "Decimal('1.10')",
      path: "PosixPath('a/b.txt')",
    });
  });

  it.each([
    ['not_numbers', ['NaN', 'Infinity', '-Infinity']],
    ['big_integers', [9007199254740991, '9007199254740992', '-9007199254740992', `1${'0'.repeat(30)}`]],
    ['sets', [[1, 2, 3], ['a', 'b', 'c'], expect.arrayContaining([1, 'a'])]],
    ['byte_strings', ['AP8=', 'YWJj', 'YWJj']],
    ['lone_surrogate', 'a\ud800b'],
  ])('%s have a stated form in JSON', async (name, value) => {
    expect((await engine().call({ script: odd, function: name })).value).toEqual(value);
  });

  it('keep keys like __proto__ as keys, and pollute nothing', async () => {
    const text = '{"__proto__":{"polluted":true},"constructor":1,"toString":null}';
    const { value } = await engine().call({ script: odd, function: 'prototype_keys' });
    expect(JSON.stringify(value)).toBe(text);
    const args = JSON.parse(`{"values":${text}}`);
    const echoed = await engine().call({ script: echoes, function: 'unannotated', args });
    expect(JSON.stringify(echoed.value)).toBe(text);
    expect('polluted' in {}).toBe(false);
  });

  it.each([
    ['circular', 'Result $.list[0]: circular: this is $ again'],
    ['lock', 'Result $.rows[1]: a _thread.lock cannot be turned into JSON'],
    ['a_function', 'Result $: a function cannot be turned into JSON'],
    ['an_exception', 'raise it, or return str(error)'],
    ['nested_generator', 'Result $.rows: a generator cannot be turned into JSON; return list(...) of it'],
    ['colliding_keys', "two of its keys both become '1'"],
    ['impossible_key', 'Result $'],
    ['too_deep', 'nested deeper than 200 levels'],
    ['hostile_subclass', 'no items for you'],
    ['yields_something_odd', 'a _thread.lock cannot be turned into JSON'],
  ])('%s is a BAD_RESULT that says where and why', async (name, message) => {
    const error = await failureOf(engine().call({ script: odd, function: name }));
    expect(error.code).toBe('BAD_RESULT');
    expect(error.message).toContain(message);
    expect((await engine().call({ script: odd, function: 'fine' })).value).toBe('fine');
  });
});

describe('The table of docs/values.md', () => {
  const page = readFileSync(new URL('../../docs/values.md', import.meta.url), 'utf8');
  const table = page.split('\n').filter((line) => line.startsWith('| '));
  const rows = table.slice(1).map((line) =>
    line
      .split(/(?<!\\)\|/)[1]
      ?.trim()
      .replaceAll('\\|', '|'),
  );

  it('is what a call does, row by row', () => {
    expect(samples.map(([row]) => row)).toEqual(rows);
  });
});

/** For each row: annotation, JSON taken, JSON given back. */
const samples: readonly (readonly [row: string, ...(readonly [string, JsonValue, JsonValue])[]])[] = [
  ['`int`', ['int', 5, 5], ['int', '12', 12], ['int', '9007199254740993', '9007199254740993']],
  ['`float`', ['float', 5, 5], ['float', '1.5', 1.5], ['float', 'NaN', 'NaN'], ['float', '-Infinity', '-Infinity']],
  ['`bool`', ['bool', true, true], ['bool', 'false', false]],
  ['`str`', ['str', 'null', 'null']],
  ['`None`', ['None', null, null]],
  [
    '`bytes`, `bytearray`, `memoryview`',
    ['bytes', 'AP8=', 'AP8='],
    ['bytearray', 'AP8=', 'AP8='],
    ['memoryview', 'AP8=', 'AP8='],
  ],
  ['`Decimal`', ['Decimal', '1.10', '1.10'], ['Decimal', 2, '2']],
  ['`complex`', ['complex', '1+2j', '1+2j'], ['complex', 2, '2+0j']],
  [
    '`date`, `time`, `datetime`',
    ['date', '2024-05-17', '2024-05-17'],
    ['time', '10:30', '10:30:00'],
    ['datetime', '2024-05-17', '2024-05-17T00:00:00'],
  ],
  ['`timedelta`', ['timedelta', 'PT90S', 'PT1M30S'], ['timedelta', 3600, 'PT1H']],
  [
    '`UUID`, `Path`, `PurePath`, `os.PathLike`',
    ['UUID', '12345678-1234-5678-1234-567812345678', '12345678-1234-5678-1234-567812345678'],
    ['Path', 'a/b', 'a/b'],
    ['PurePath', 'a/b', 'a/b'],
    ['os.PathLike', 'a/b', 'a/b'],
  ],
  ['`re.Pattern`', ['re.Pattern', 'a+', 'a+'], ['re.Pattern', '(?i)a+', '(?i)a+']],
  ['`Enum`', ['Color', 'red', 'red'], ['Color', 'RED', 'red']],
  ['`Literal`', ['Literal["a", 1]', 1, 1]],
  [
    '`list`, `Sequence`, `Iterable`, `Collection`, `deque` …',
    ['list[int]', ['1'], [1]],
    ['Sequence[int]', ['1'], [1]],
    ['Iterable[int]', ['1'], [1]],
    ['Collection[int]', ['1'], [1]],
    ['deque[int]', ['1'], [1]],
  ],
  [
    '`tuple[X, ...]`, `tuple[X, Y]`',
    ['tuple[int, ...]', ['1', 2, 3], [1, 2, 3]],
    ['tuple[int, str]', [1, 'a'], [1, 'a']],
  ],
  [
    '`set`, `frozenset`, `collections.abc.Set`',
    ['set[int]', [2, 1, 2], [1, 2]],
    ['frozenset[int]', [2, 1], [1, 2]],
    ['collections.abc.Set[int]', [2, 1], [1, 2]],
  ],
  [
    '`dict`, `Mapping`, `OrderedDict`, `defaultdict`, `Counter` …',
    ['dict[int, float]', { 1: '2' }, { 1: 2 }],
    ['Mapping[str, int]', { a: '2' }, { a: 2 }],
    ['OrderedDict[str, int]', { a: 2 }, { a: 2 }],
    ['defaultdict[str, list[int]]', { a: ['2'] }, { a: [2] }],
    ['Counter[str]', { a: 2 }, { a: 2 }],
  ],
  ['dataclass', ['Item', { name: 'ink' }, { name: 'ink', price: 1 }]],
  ['`TypedDict`, `NamedTuple`', ['Options', { depth: '2' }, { depth: 2 }], ['Point', { x: 1 }, { x: 1, y: 0 }]],
  ['pydantic model, pydantic dataclass'],
  [
    '`X | None`, `Optional`, `Union`',
    ['int | None', null, null],
    ['Optional[int]', '5', 5],
    ['Union[int, str]', '5', '5'],
  ],
  [
    '`Annotated`, `NewType`, `TypeVar`, `type X = …`',
    ['Annotated[int, "a note"]', '5', 5],
    ['Name', 'x', 'x'],
    ['T', '5', 5],
  ],
  [
    '`Any`, `object`, none, unknown',
    ['Any', [1, 'a'], [1, 'a']],
    ['object', { a: null }, { a: null }],
    ['"Missing"', '5', '5'],
  ],
];

describeWithEngine('Each sample of docs/values.md', { idleChildren: 1 }, (engine) => {
  it('is taken and given back as its row says', async () => {
    const all = samples.flatMap(([, ...ofRow]) => ofRow);
    const script = `${folderWith({ 'samples.py': scriptTaking(all.map(([annotation]) => annotation)) })}/samples.py`;
    const args = Object.fromEntries(all.map(([, taken], index) => [`v${index}`, taken]));
    const { value } = await engine().call({ script, function: 'take', args });
    const given = value as readonly JsonValue[];
    expect(all.map(([annotation, taken], index) => [annotation, taken, given[index]])).toEqual(all);
  });

  it.each<[string, JsonObject, string]>([
    ['items', { items: [{ name: 'a' }, { name: 'b' }, { name: 'c', price: 'abc' }] }, 'items[2].price'],
    ['n', { n: 2 ** 53 }, 'n'],
  ])('and the error about %s reads as there', async (_name, args, argument) => {
    const page = readFileSync(new URL('../../docs/values.md', import.meta.url), 'utf8');
    const script = `${folderWith({ 'orders.py': orders })}/orders.py`;
    const error = await failureOf(engine().call({ script, function: 'order', args }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', details: { argument } });
    expect(page.split('\n')).toContain(error.message);
  });
});

const orders = `
from dataclasses import dataclass

@dataclass
class Item:
    name: str
    price: float = 1.0

def order(items: list[Item] = [], n: int = 0):
    return "ordered"
`;

function scriptTaking(annotations: readonly string[]): string {
  const parameters = annotations.map((annotation, index) => `v${index}: ${annotation}`).join(', ');
  const names = annotations.map((_, index) => `v${index}`).join(', ');
  return `
import collections.abc, os, re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar, Union
from uuid import UUID

Name = NewType("Name", str)
T = TypeVar("T", bound=int)

class Color(Enum):
    RED = "red"

@dataclass
class Item:
    name: str
    price: float = 1.0

class Options(TypedDict):
    depth: int

class Point(NamedTuple):
    x: int
    y: int = 0

def take(${parameters}):
    return [${names}]
`;
}

function hasNoUnsafeInteger(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasNoUnsafeInteger);
}
