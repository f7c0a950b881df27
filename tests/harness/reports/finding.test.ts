import { describe, expect, it } from 'vitest';
import { asText, isBreakage, linesOfFinding, triesOf } from '../../../src/harness/reports/finding.js';
import { caseOf, findingOf } from './sample.js';

const shown = (given: Parameters<typeof findingOf>[0]) => linesOfFinding(findingOf(given)).map(asText);

describe('a finding', () => {
  it('says where it is: a path in the answer, a line of a validator', () => {
    expect(shown({ kind: 'field', message: 'No.', path: '$.a', file: 'check.py', line: 3 })).toEqual([
      'No.',
      'at $.a',
      'in check.py:3',
    ]);
    expect(shown({ kind: 'validator', message: 'No.', line: 3 })).toEqual(['No.', 'in line 3']);
  });

  it('shows blanks where blanks are all that differs', () => {
    expect(shown({ kind: 'text', message: 'No.', expected: 'a\tb', actual: 'a b\u00a0  ' })).toEqual([
      'No.',
      '- a\\tb',
      '+ a b\\u00a0··',
    ]);
    expect(shown({ kind: 'text', message: 'No.', expected: 'a\n', actual: 'a\r\n' })).toEqual([
      'No.',
      '- a',
      '+ a\\u000d',
      '  ',
    ]);
  });

  it('shows what was expected where nothing came, and what came where nothing was expected', () => {
    expect(shown({ kind: 'field', message: 'No.', expected: { a: 1 } })).toEqual(['No.', '- {"a":1}']);
    expect(shown({ kind: 'field', message: 'No.', actual: null })).toEqual(['No.', '+ null']);
  });

  it('keeps the end of a long traceback', () => {
    const detail = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const lines = shown({ kind: 'validator', message: 'No.', detail });
    expect(lines).toHaveLength(42);
    expect(lines[1]).toBe('@ … 60 lines before');
    expect(lines.at(-1)).toBe('  line 99');
  });

  it('is a breakage where nothing could be judged', () => {
    expect(isBreakage({ kind: 'no_answer', message: '' })).toBe(true);
    expect(isBreakage({ kind: 'validator', code: 'SYNTAX_ERROR', message: '' })).toBe(true);
    expect(isBreakage({ kind: 'validator', message: '' })).toBe(false);
    expect(isBreakage({ kind: 'schema', message: '' })).toBe(false);
  });
});

describe('the tries of a case', () => {
  it.each([
    [{ runs: 10, failedRuns: 3, status: 'failed' }, '3 of 10 runs failed'],
    [{ attempts: 3, status: 'failed' }, 'all 3 tries failed'],
    [{ attempts: 2, isFlaky: true }, 'passed at try 2'],
    [{ runs: 5, isFlaky: true }, 'failed in one try and passed in another'],
    [{ runs: 5 }, undefined],
    [{ status: 'failed' }, undefined],
  ] as const)('are told of %j', (given, words) => {
    expect(triesOf(caseOf({ id: 'a', ...given }))).toBe(words);
  });
});
