// The same tools on stdio, for the bridges that serve such a server over HTTP, and for the harness.
import { writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

let hasHeard = process.env.BENCH_HEARD === undefined;

serveStdio(() => {
  const server = new McpServer({ name: 'stdio', version: '1' });
  server.registerTool('add', { inputSchema: z.object({ a: z.int(), b: z.int() }) }, async ({ a, b }) => {
    if (!hasHeard) writeFileSync(process.env.BENCH_HEARD, String(Date.now()));
    hasHeard = true;
    return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { result: a + b } };
  });
  server.registerTool('wait', { inputSchema: z.object({ seconds: z.number() }) }, async ({ seconds }) => {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return { content: [{ type: 'text', text: 'done' }], structuredContent: { result: seconds } };
  });
  return server;
});
