import { describe, expect, it } from 'vitest';
import { check, messages, text } from './exchanges.js';

const exchange = text('Hello, Ada', 'Bye, Ada');

describe('the expected text', () => {
  it.each([
    ['Hello, Ada\nBye, Ada'],
    [{ equals: 'Hello, Ada\nBye, Ada' }],
    [{ contains: 'Ada' }],
    [{ contains: ['Hello', 'Bye'], excludes: 'Eve', pattern: ['^Hello', 'Ada$'] }],
    [{ pattern: '\\p{Lu}da' }],
  ])('%j fits', async (expected) => {
    expect(await check({ text: expected }, exchange)).toEqual([]);
  });

  it('that is another is told with what there is', async () => {
    const [finding] = await check({ text: 'Hello' }, text('Hallo'));
    expect(finding).toEqual({
      kind: 'text',
      message: 'The text is "Hallo"; expected "Hello".',
      expected: 'Hello',
      actual: 'Hallo',
    });
  });

  it('has a finding for each part that is missing, forbidden, or matches nothing', async () => {
    const expected = { contains: ['Eve', 'Ada', 'Bob'], excludes: ['Bye'], pattern: ['^Bye'] };
    expect(await messages({ text: expected }, text('Bye Ada'))).toEqual([
      'The text does not contain "Eve"; it is "Bye Ada".',
      'The text does not contain "Bob"; it is "Bye Ada".',
      'The text contains "Bye", which it must not; it is "Bye Ada".',
    ]);
    expect(await messages({ text: { pattern: '^Ada' } }, text('Bye Ada'))).toEqual([
      'The text does not match /^Ada/; it is "Bye Ada".',
    ]);
  });

  it('shows where in a long text a forbidden part is', async () => {
    const long = `${'a'.repeat(5000)}secret${'b'.repeat(5000)}`;
    const [message = ''] = await messages({ text: { excludes: 'secret' } }, text(long));
    expect(message).toContain('aaasecretbbb');
    expect(message.length).toBeLessThan(400);
  });

  it('that is no pattern is told as one', async () => {
    expect(await messages({ text: { pattern: '(' } }, exchange)).toEqual([
      '/(/ is no regular expression: /(/u: Unterminated group.',
    ]);
  });

  it('whose pattern never ends is given up, and told', async () => {
    const expected = { text: { pattern: '^(a+)+$' } };
    expect(await messages(expected, text(`${'a'.repeat(60)}b`), { limitMs: 50 })).toEqual([
      'Checking the text took longer than 50 ms and was given up.',
    ]);
  });
});
