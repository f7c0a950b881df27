import { describe, expect, it } from 'vitest';
import { lines, suiteFolder } from './texts.js';

const folder = suiteFolder();

describe('the place of a built-in check', () => {
  it.each([
    [lines('checks:', '  unknown: true', '  schemas: { strict: true }'), { line: 5, column: 3 }],
    [lines('checks: [unknown, schemas]'), { line: 3, column: 19 }],
    [lines('checks: all'), { line: 3, column: 1 }],
    [lines('checks: schemas'), { line: 3, column: 1 }],
  ])('is where the suite asks for it: %j', async (text, place) => {
    const { placeOfCheck } = await folder.read(text);
    expect(placeOfCheck?.('schemas')).toEqual(place);
  });
});

describe('built-in checks', () => {
  it.each([
    ['checks: schemas', { schemas: true }],
    ['checks: [schemas]', { schemas: true }],
    ['checks: [stdout, unknown]', { stdout: true, unknown: true }],
    ['checks: stdout', { stdout: true }],
  ])('may be named by a word or a list, which says which there are: %s', async (line, checks) => {
    expect((await folder.read(lines(line))).document.checks).toEqual(checks);
  });
});
