import { describe, expect, it } from 'vitest';
import { check, failed, messages, rpcError, text, unanswered } from './exchanges.js';

describe('an answer that is no error', () => {
  it('passes where nothing is said', async () => {
    expect(await check({}, text('hi'))).toEqual([]);
  });

  it('fails where an error is expected, and shows what came', async () => {
    expect(await messages({ error: true }, text('all is well'))).toEqual([
      'The server answered with a result, "all is well"; expected an error.',
    ]);
  });
});

describe('a result that says isError', () => {
  it('fails where nothing is said, and shows its text', async () => {
    const [finding] = await check({}, failed('no such file'));
    expect(finding).toMatchObject({
      kind: 'error',
      message: 'The tool says that it failed: "no such file"; expected a result without error.',
      actual: { isError: true },
    });
  });

  it('shows a text of several lines whole', async () => {
    const [finding] = await check({}, failed('Traceback:\n  line 3\nValueError'));
    expect(finding?.detail).toBe('Traceback:\n  line 3\nValueError');
  });

  it('is the only finding, as nothing else of it was expected', async () => {
    const expected = { text: 'x', fields: { '$.a': 1 }, data: { '$.b': 1 }, content: ['image'], snapshot: true };
    expect(await messages(expected, failed('broken'))).toHaveLength(1);
  });

  it('passes where an error is expected, and its text is looked at', async () => {
    expect(await check({ error: true, text: { contains: 'such file' } }, failed('no such file'))).toEqual([]);
    expect(await messages({ error: true, text: 'x' }, failed('y'))).toEqual(['The text is "y"; expected "x".']);
  });

  it('is no JSON-RPC error', async () => {
    expect(await messages({ error: { code: -32602 } }, failed('bad'))).toEqual([
      'The server answered with a result that says isError, "bad"; expected a JSON-RPC error.',
    ]);
  });
});

describe('a JSON-RPC error', () => {
  const exchange = rpcError(-32602, 'Unknown tool: x', { tool: 'x' });

  it('fails where nothing is said, with code and message', async () => {
    const [finding] = await check({}, exchange);
    expect(finding?.message).toBe(
      'The server answered with the error -32602: "Unknown tool: x"; expected a result without error.',
    );
    expect(finding?.actual).toEqual({ error: { code: -32602, message: 'Unknown tool: x', data: { tool: 'x' } } });
  });

  it('passes where an error is expected, with its code and its message', async () => {
    expect(await check({ error: true }, exchange)).toEqual([]);
    expect(await check({ error: { code: -32602, message: { pattern: '^Unknown' } } }, exchange)).toEqual([]);
  });

  it('fails for another code and another message, each for itself', async () => {
    expect(await messages({ error: { code: -32601, message: 'No' } }, exchange)).toEqual([
      'The code of the error is -32602 ("Unknown tool: x"); expected -32601.',
      'The message of the error is "Unknown tool: x"; expected "No".',
    ]);
  });

  it('has its message as text, and its parts as fields', async () => {
    const expected = { error: true, text: 'Unknown tool: x', fields: { '$.error.data.tool': 'x' } };
    expect(await check(expected, exchange)).toEqual([]);
  });
});

describe('no answer', () => {
  it.each([{}, { error: true }, { error: { code: 1 } }])('is a failure with its code under %j', async (expected) => {
    expect(await check(expected, unanswered)).toEqual([
      {
        kind: 'no_answer',
        code: 'TIMEOUT',
        message: 'There was no answer: The MCP server did not answer within 50 ms.',
      },
    ]);
  });
});
