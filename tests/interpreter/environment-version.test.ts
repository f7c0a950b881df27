import { describe, expect, it } from 'vitest';
import { satisfies } from '../../src/python/environment-version.js';

describe('Python 3.12.1', () => {
  it.each([
    '>=3.10',
    '>=3.10,<4',
    '==3.12.*',
    '~=3.11',
    '~=3.12.0',
    '!=3.12.0',
    '!=3.11.*',
    '>3.12',
    '<3.13',
    '<=3.12.1',
    '==3.12.1',
    '===3.12.1',
    ' >= 3.12 , < 3.13 ',
    '',
    '>=3.12.1rc1',
    '<4.0a1',
  ])('satisfies %j', (specifier) => {
    expect(satisfies([3, 12, 1], specifier)).toBe(true);
  });

  it.each([
    '>=3.13',
    '<3.12',
    '==3.11.*',
    '~=3.11.0',
    '!=3.12.*',
    '>3.12.1',
    '==3.12',
    '<=3.12',
    '>=3.10,<3.12',
    '==2.7',
    '<3.12.1rc1',
  ])('does not satisfy %j', (specifier) => {
    expect(satisfies([3, 12, 1], specifier)).toBe(false);
  });

  it.each(['three', '3.12', '=>3.10', '>=3.x', '>=3.10 <4', '~=3', '>=3.*', '==3.12.*rc1'])(
    'cannot be held against %j',
    (specifier) => {
      expect(satisfies([3, 12, 1], specifier)).toBeUndefined();
    },
  );
});
