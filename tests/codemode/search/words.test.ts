import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsAskedFor, wordsOf } from '../../../src/codemode/search/words.js';

describe('words', () => {
  it.each([
    ['createIssue', 'create_issue'],
    ['HTTPServer', 'http-server'],
    ['list.pullRequests', 'lists pull request'],
    ['issues', 'issue'],
    ['created creating creates', 'create create create'],
    ['queries', 'query'],
    ['searches', 'search'],
    ['running', 'run'],
    ['added', 'add'],
    ['ＦＵＬＬ', 'full'],
  ])('of %j are those of %j', (one, other) => {
    expect(wordsOf(one)).toEqual(wordsOf(other));
  });

  it.each([
    ['status', 'statu'],
    ['class', 'clas'],
    ['string', 'str'],
    ['need', 'ne'],
  ])('of %j are not those of %j', (one, other) => {
    expect(wordsOf(one)).not.toEqual(wordsOf(other));
  });

  it('of a question leave out what is in every sentence, unless there is nothing else', () => {
    expect(wordsAskedFor('what is in the file of a user')).toEqual(wordsOf('file user'));
    expect(wordsAskedFor('what is it')).toEqual(['what', 'is', 'it']);
  });

  it('of any text are in lower case, bounded, and without signs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        for (const word of wordsOf(text)) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]{1,240}$/u);
        expect(wordsAskedFor(text).length).toBeLessThanOrEqual(24);
      }),
    );
  });
});
