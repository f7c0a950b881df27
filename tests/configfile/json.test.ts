import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/configfile/json.js';
import { CallerError } from '../../src/errors.js';

describe('JSON of a config file', () => {
  it('tells of names that stand in it twice, to whoever wants to go on', () => {
    const told: string[] = [];
    const text = '{ "a": { "b": 1, "b": 2 }, "c": [{ "d": 1, "d": 2 }] }';
    const { value } = readJson(text, 'x.json', { onRepeated: (path) => told.push(path.join('.')) });
    expect(told).toEqual(['a.b', 'c.0.d']);
    expect(JSON.parse(JSON.stringify(value))).toEqual({ a: { b: 2 }, c: [{ d: 2 }] });
  });

  it('that is nested too deeply is refused', () => {
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(() => readJson(deep, 'x.json')).toThrow(CallerError);
  });

  it('shows names in errors as one word', () => {
    const { wrong } = readJson('{ "a\\u001b[31m\\n": 1 }', 'x.json');
    const { message } = wrong(['a\u001b[31m\n'], 'not so');
    expect(message).toBe('x.json, line 1, column 3: a\\u{1b}[31m\\u{a}: not so');
  });
});
