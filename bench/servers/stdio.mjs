// The same tools on stdio, for the bridges that serve such a server over HTTP.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'stdio', version: '1' });
  server.registerTool('add', { inputSchema: z.object({ a: z.int(), b: z.int() }) }, async ({ a, b }) => {
    return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { result: a + b } };
  });
  server.registerTool('wait', { inputSchema: z.object({ seconds: z.number() }) }, async ({ seconds }) => {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return { content: [{ type: 'text', text: 'done' }], structuredContent: { result: seconds } };
  });
  return server;
});
