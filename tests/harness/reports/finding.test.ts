import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/harness/report.js';
import { answerLines } from '../../../src/harness/reports/answer.js';
import { asText, isBreakage, linesOfFinding, triesOf } from '../../../src/harness/reports/finding.js';
import type { JsonValue } from '../../../src/toolbox.js';
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

  it('shows figures in its sentence alone, where they are rounded and have a unit', () => {
    for (const kind of ['latency', 'memory', 'load']) {
      expect(shown({ kind, message: 'It took 307 ms.', expected: 100, actual: 306.65166299999987 })).toEqual([
        'It took 307 ms.',
      ]);
    }
  });

  it('shows an answer of a script without what the call took', () => {
    const figures = { 'mcp-execution/figures': { wallMs: 1.5 } };
    expect(shown({ kind: 'error', message: 'No.', actual: { a: 1, _meta: figures } })).toEqual(['No.', '+ {"a":1}']);
    expect(shown({ kind: 'error', message: 'No.', actual: { _meta: { ...figures, b: 2 } } })).toEqual([
      'No.',
      '+ {"_meta":{"b":2}}',
    ]);
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

describe('the answer of a case', () => {
  const answered = (finding: Finding, response: JsonValue = { a: 1 }) =>
    answerLines(caseOf({ id: 'a', status: 'failed', findings: [finding], response })).map(asText);

  it('is shown where a validator looked at it and failed', () => {
    expect(answered({ kind: 'validator', message: 'No.' })).toEqual(['The answer:', '  {"a":1}']);
    expect(answered({ kind: 'validator', code: 'EXCEPTION', message: 'KeyError' })).toHaveLength(2);
  });

  it('is not shown where the finding shows what came, or nothing was looked at', () => {
    expect(answered({ kind: 'validator', message: 'No.', expected: 1, actual: 2 })).toEqual([]);
    expect(answered({ kind: 'validator', code: 'SYNTAX_ERROR', message: 'No.' })).toEqual([]);
    expect(answered({ kind: 'text', message: 'No.' })).toEqual([]);
    expect(answerLines(caseOf({ id: 'a', findings: [{ kind: 'validator', message: 'No.' }] }))).toEqual([]);
  });

  it('is cut where it is long, and commands no terminal', () => {
    const lines = answered({ kind: 'validator', message: 'No.' }, ['\u001b[31m', ...Array(200).fill('x'.repeat(2000))]);
    expect(lines).toHaveLength(42);
    expect(lines.at(-1)).toBe('@ … 163 more lines');
    expect(lines.join('').length).toBeLessThan(42_000);
    expect(lines.join('')).not.toContain('\u001b');
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
