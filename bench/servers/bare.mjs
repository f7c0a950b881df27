// What the gateway is measured against: the official SDK, a tool in JavaScript, and nothing around it.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  server.registerTool('add', { inputSchema: z.object({ a: z.int(), b: z.int() }) }, async ({ a, b }) => {
    return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { result: a + b } };
  });
  server.registerTool('wait', { inputSchema: z.object({ seconds: z.number() }) }, async ({ seconds }) => {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return { content: [{ type: 'text', text: 'done' }], structuredContent: { result: seconds } };
  });
  return server;
});

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const asked = new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method,
    headers: request.headers,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const answer = await handler.fetch(asked);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else Readable.fromWeb(answer.body).pipe(response);
});
server.listen(Number(process.argv[2]), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
