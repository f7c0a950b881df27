import { describe, expect, it } from 'vitest';
import { dataOf, textOf } from '../../../src/harness/expect/answer.js';

describe('the text of an answer', () => {
  it('is all text blocks of a tool, joined by line breaks', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    expect(textOf({ content: [{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }] })).toBe('a\nb');
  });

  it('has the text of embedded resources', () => {
    const resource = { uri: 'test://a', text: 'inside' };
    expect(textOf({ content: [{ type: 'resource', resource }] })).toBe('inside');
  });

  it('is that of the messages of a prompt', () => {
    const messages = [
      { role: 'user', content: { type: 'text', text: 'Hi' } },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
    ];
    expect(textOf({ messages })).toBe('Hi\nHello');
  });

  it('is that of the contents of a resource', () => {
    expect(
      textOf({
        contents: [
          { uri: 'a', text: 'one' },
          { uri: 'b', blob: 'AAAA' },
        ],
      }),
    ).toBe('one');
  });

  it('is JSON where the answer has no place for text', () => {
    expect(textOf({ tools: [{ name: 'echo' }] })).toBe('{"tools":[{"name":"echo"}]}');
  });

  it('is empty where blocks have none, or are none', () => {
    expect(textOf({ content: [null, 5, 'x', { type: 'text' }, { type: 'text', text: 7 }] })).toBe('');
    expect(textOf({ messages: [null, { role: 'user' }] })).toBe('');
  });
});

describe('the data of an answer', () => {
  it('is its structuredContent before its text', () => {
    expect(dataOf({ content: [{ type: 'text', text: '1' }], structuredContent: { a: 2 } })).toEqual({ data: { a: 2 } });
  });

  it('is its one text decoded as JSON', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    expect(dataOf({ content: [image, { type: 'text', text: ' [1, 2] ' }] })).toEqual({ data: [1, 2] });
    expect(dataOf({ contents: [{ uri: 'a', text: '{"b":null}' }] })).toEqual({ data: { b: null } });
  });

  it('is the whole of what is neither a tool result nor a resource', () => {
    expect(dataOf({ tools: [] })).toEqual({ data: { tools: [] } });
  });

  it('is missing with a reason', () => {
    expect(dataOf({ content: [] }).problem).toBe('it has no structuredContent and no text');
    expect(dataOf({ contents: [{ uri: 'a', blob: 'AAAA' }] }).problem).toBe('it has no text');
    expect(dataOf({ content: [{ type: 'text', text: 'Hi' }] }).problem).toBe('its text is no JSON: "Hi"');
    const twice = { type: 'text', text: '1' };
    expect(dataOf({ content: [twice, twice] }).problem).toContain('it has 2 texts');
  });
});
