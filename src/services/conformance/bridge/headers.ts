import type { JSONRPCRequest } from '@modelcontextprotocol/server';

/** The parameter that the header Mcp-Name repeats, by method. */
const nameOf: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * What is wrong with the headers of a request of 2026-07-28, which have to repeat what its body says. A server behind
 * a pipe sees no headers, so whoever speaks HTTP for it has to look at them.
 */
export function mistakeInHeaders(headers: Headers, { method, params }: JSONRPCRequest): string | undefined {
  if (!headers.has('mcp-protocol-version')) return 'the header MCP-Protocol-Version is missing';
  if (!headers.has('mcp-method')) return 'the header Mcp-Method is missing';
  const field = Object.hasOwn(nameOf, method) ? nameOf[method] : undefined;
  const named = field === undefined ? undefined : params?.[field];
  if (field === undefined || typeof named !== 'string') return undefined;
  const header = headers.get('mcp-name');
  if (header === null) return 'the header Mcp-Name is missing';
  const decoded = decodeHeader(header);
  if (decoded === undefined) return 'the header Mcp-Name is no valid Base64';
  return decoded === named ? undefined : `the header Mcp-Name names something else than params.${field}`;
}

/** Headers carry printable ASCII; everything else comes as Base64 between marks. */
function decodeHeader(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value.trim()) ?? [];
  if (encoded === undefined) return value.trim();
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}
