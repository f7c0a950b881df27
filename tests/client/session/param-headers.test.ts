import { expect, test } from 'vitest';
import { createParamHeaders } from '../../../src/client/session/param-headers.js';

const inputSchema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    inner: { type: 'object', properties: { flag: { type: 'boolean', 'x-mcp-header': 'Flag' } } },
    plain: { type: 'string' },
  },
};

function headersOf(args: object, name = 'query') {
  const headers = createParamHeaders();
  headers.learn({ tools: [{ name: 'query', inputSchema }, { name: 'other', inputSchema: {} }, 'no tool'] });
  return headers.of('tools/call', { name, arguments: JSON.parse(JSON.stringify(args)) });
}

test('arguments that a tool wants in headers are repeated there', () => {
  expect(headersOf({ region: 'north', inner: { flag: true }, plain: 'x' })).toEqual({
    'Mcp-Param-Region': 'north',
    'Mcp-Param-Flag': 'true',
  });
});

test('what no header can hold goes as Base64, and what is not given goes not at all', () => {
  expect(headersOf({ region: 'Zürich' })).toEqual({ 'Mcp-Param-Region': '=?base64?WsO8cmljaA==?=' });
  expect(headersOf({ region: null, inner: 5 })).toEqual({});
});

test('other tools and other requests have none', () => {
  expect(headersOf({ region: 'north' }, 'other')).toBeUndefined();
  expect(createParamHeaders().of('resources/read', { uri: 'test://one' })).toBeUndefined();
});
