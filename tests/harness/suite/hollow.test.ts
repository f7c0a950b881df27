import { describe, expect, it } from 'vitest';
import { lines, suiteFolder } from './texts.js';

const folder = suiteFolder();
const oneCase = (...rest: readonly string[]) => lines('cases:', '  - name: a', '    tool: t', ...rest);

describe('A suite of JSON', () => {
  it.each([
    ['{ "__proto__": { "x": 1 } }', '__proto__'],
    ['{ "n": 9007199254740993 }', 'too many digits'],
  ])('is refused where something in it would be lost: %s', async (given, words) => {
    const text = `{ "version": 1, "server": { "command": "node" }, "variables": ${given} }`;
    expect((await folder.mistakes(text, {}, 's.json')).join()).toContain(words);
  });
});

describe('What a suite says and would not be looked at', () => {
  it.each<readonly [string, string]>([
    ['load: { duration: 0 }', 'cases.0.load.duration: expected more than 0'],
    ['load: { count: 5 }, expect: { memory: 64MB }', 'cases.0.expect.memory: does not go with load'],
    ['expect: { data: { $.a: { exists: false, type: string } } }', 'exists: false goes with nothing else'],
    ['expect: { text: { contains: [] } }', 'is empty'],
    ['expect: { text: { pattern: [] } }', 'is empty'],
    ['expect: { text: { excludes: [] } }', 'is empty'],
    ['expect: { text: {} }', 'needs equals, contains, excludes or pattern'],
    ['arguments: { __proto__: 5 }', '__proto__'],
    ['capture: { __proto__: $.a }', '__proto__'],
  ])('is refused: %s', async (said, words) => {
    const inner = said.split(/, (?=expect)/).map((each) => `    ${each}`);
    expect((await folder.mistakes(oneCase(...inner))).join('\n')).toContain(words);
  });
});
