import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillValues, fillVariables, UnknownValue } from '../../../src/harness/suite/values.js';

const values = {
  user: { name: 'Ada', 'first-name': 'A', ids: [7, 8], nothing: null },
  count: 3,
  ok: true,
  text: 'a "b"',
  list: ['x', 'y'],
};

describe('filling values', () => {
  it.each([
    ['{{ count }}', 3],
    ['{{count}}', 3],
    ['{{ ok }}', true],
    ['{{ user.nothing }}', null],
    ['{{ user }}', values.user],
    ['{{ list }}', ['x', 'y']],
    ['{{ user.name }}', 'Ada'],
    ['{{ user.first-name }}', 'A'],
    ['{{ user.ids[1] }}', 8],
    ['{{ list[-1] }}', 'y'],
    [' {{ count }}', ' 3'],
    ['{{ count }} of {{ ok }}', '3 of true'],
    ['<{{ user.ids }}>', '<[7,8]>'],
    ['{{ text }}!', 'a "b"!'],
    ['{{{ count }}}', '{3}'],
    ['\\{{ count }}', '{{ count }}'],
    ['a \\{{ x y }} {{ count }}', 'a {{ x y }} 3'],
    ['no { braces } }} here {{', 'no { braces } }} here {{'],
    [
      { a: ['{{ count }}', { b: '{{ ok }}' }], '{{ count }}': 1 },
      { a: [3, { b: true }], '{{ count }}': 1 },
    ],
    [5, 5],
    [null, null],
  ])('makes of %j %j', (given, filled) => {
    expect(fillValues(given, values)).toEqual(filled);
  });

  it.each([
    ['{{ cuont }}', 'cuont', 'There is no value cuont for {{ cuont }}; did you mean count?'],
    ['{{ zzz }}', 'zzz', 'There is no value zzz for {{ zzz }}; known are user, count, ok, text, list'],
    ['{{ user.nam }}', 'user', 'There is no value for {{ user.nam }}: user has no nam; did you mean name?'],
    ['{{ user.ids[9] }}', 'user', 'There is no value for {{ user.ids[9] }}: user.ids is a list of 2'],
    [
      '{{ list.first }}',
      'list',
      'There is no value for {{ list.first }}: list is a list of 2, whose elements are written list[0]',
    ],
    ['{{ count.x }}', 'count', 'There is no value for {{ count.x }}: count is a number and has nothing in it'],
    ['x {{ __proto__ }}', '__proto__', /^There is no value __proto__/],
    ['{{ user.constructor }}', 'user', /user has no constructor/],
    ['{{ list.length }}', 'list', /list is a list of 2/],
    [
      '{{ a b }}',
      'a b',
      '{{ a b }} names no value: expected a name, such as {{ user }} or {{ user.ids[0] }}; for the braces themselves write \\{{',
    ],
    ['{{}}', '', /^\{\{\}\} names no value/],
  ])('refuses %j', (given, name, message) => {
    const fill = () => fillValues(given, values);
    expect(fill).toThrow(UnknownValue);
    expect(fill).toThrow(message);
    expect(fill).toThrow(expect.objectContaining({ name_: name }));
  });

  it('never reads again what came in the place of a reference', () => {
    expect(fillValues('{{ one }} and {{ one }}', { one: '{{ two }}', two: 'no' })).toBe('{{ two }} and {{ two }}');
    expect(fillValues('{{ one }}', { one: '{{ two }}', two: 'no' })).toBe('{{ two }}');
  });

  it('gives up where the text grows without bound', () => {
    const large = 'x'.repeat(10_000_000);
    expect(() => fillValues('{{ large }}, '.repeat(20), { large })).toThrow('too long');
  });

  it('leaves alone what has no braces', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        fc.pre(!json.includes('{{'));
        expect(fillValues(JSON.parse(json), {})).toEqual(JSON.parse(json));
      }),
    );
  });

  it('changes nothing the second time', () => {
    const part = fc.constantFrom('{{ count }}', '{{ user.ids[0] }}', '{{ ok }}', ' and ', 'x', '}');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const once = fillValues(parts.join(''), values);
        expect(fillValues(once, values)).toEqual(once);
      }),
    );
  });

  it('gives back every text whose braces were escaped', () => {
    const braces = fc.constantFrom('{{', '}}', '{', '}', '\\', ' count ', 'x');
    fc.assert(
      fc.property(fc.array(fc.oneof(braces, fc.string())), (parts) => {
        const text = parts.join('');
        expect(fillValues(text.replaceAll('{{', '\\{{'), values)).toBe(text);
      }),
    );
  });
});

describe('variables', () => {
  it('may use those above them, and what is given', () => {
    const variables = { root: '{{ temp }}/files', notes: '{{ root }}/notes.txt', both: ['{{ root }}', 1] };
    expect(fillVariables(variables, { temp: '/t' })).toEqual({
      temp: '/t',
      root: '/t/files',
      notes: '/t/files/notes.txt',
      both: ['/t/files', 1],
    });
  });
});
