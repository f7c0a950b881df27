import { completable, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

/** A server that does all that it promises: tools, resources and prompts of every kind that suites speak of. */
export function createServer() {
  const server = new McpServer(
    { name: 'well-behaved', version: '1.0.0', title: 'A server that behaves' },
    { capabilities: { logging: {} }, instructions: 'Everything here can be tried without harm.' },
  );
  addTools(server);
  addTalkingTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function addTools(server) {
  server.registerTool(
    'echo',
    {
      description: 'Says what it is told',
      inputSchema: z.object({ message: z.string().describe('What to say') }),
      annotations: readOnly,
    },
    async ({ message }) => text(message),
  );
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number().describe('One'), b: z.number().describe('The other') }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: readOnly,
    },
    async ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    'fails',
    { description: 'Says that it did not work', inputSchema: z.object({}), annotations: readOnly },
    async () => ({ ...text('it did not work'), isError: true }),
  );
  let calls = 0;
  server.registerTool(
    'counts',
    { description: 'Counts how often it was called', inputSchema: z.object({}) },
    async () => {
      calls += 1;
      return text(calls);
    },
  );
  server.registerTool(
    'image',
    { description: 'Shows a picture of one pixel', inputSchema: z.object({}), annotations: readOnly },
    async () => ({
      content: [
        { type: 'text', text: 'a pixel' },
        { type: 'image', data: pixel, mimeType: 'image/png' },
      ],
    }),
  );
  server.registerTool(
    'remove',
    {
      description: 'Would remove something',
      inputSchema: z.object({ what: z.string() }),
      annotations: { destructiveHint: true },
    },
    async ({ what }) => text(`removed ${what}`),
  );
}

function addTalkingTools(server) {
  server.registerTool(
    'slow',
    {
      description: 'Takes its time, and stops when the call is cancelled',
      inputSchema: z.object({ ms: z.int().min(0).max(600_000).describe('How long') }),
      annotations: readOnly,
    },
    ({ ms }, { mcpReq }) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(text('done')), ms);
        const stop = () => {
          clearTimeout(timer);
          process.stderr.write('slow was cancelled\n');
          reject(new Error('cancelled'));
        };
        if (mcpReq.signal.aborted) stop();
        else mcpReq.signal.addEventListener('abort', stop);
      }),
  );
  server.registerTool(
    'progress',
    {
      description: 'Tells how far it is',
      inputSchema: z.object({ steps: z.int().min(1).max(1000).default(3).describe('How many steps') }),
      annotations: readOnly,
    },
    async ({ steps }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let step = 1; step <= steps && progressToken !== undefined; step += 1) {
        const params = { progressToken, progress: step, total: steps, message: `step ${step}` };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      return text('done');
    },
  );
  server.registerTool(
    'logs',
    { description: 'Writes to the log of the client', inputSchema: z.object({}), annotations: readOnly },
    async (_args, { mcpReq }) => {
      await mcpReq.log('debug', 'looking');
      await mcpReq.log('warning', { found: 'something' });
      return text('done');
    },
  );
}

function addResources(server) {
  server.registerResource(
    'readme',
    'test://readme',
    { description: 'A text', mimeType: 'text/plain' },
    async ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: 'Read me.' }] }),
  );
  server.registerResource(
    'person',
    new ResourceTemplate('test://people/{name}', { list: undefined }),
    { description: 'A person, by name', mimeType: 'application/json' },
    async ({ href }, { name }) => ({
      contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ name }) }],
    }),
  );
}

function addPrompts(server) {
  server.registerPrompt('greeting', { description: 'A greeting' }, async () => said('Hello'));
  server.registerPrompt(
    'review',
    {
      description: 'Asks for a review',
      argsSchema: z.object({
        language: completable(z.string().describe('Of the code'), (start) =>
          ['python', 'perl', 'rust'].filter((known) => known.startsWith(start)),
        ),
      }),
    },
    async ({ language }) => said(`Review this ${language} code`),
  );
}

function said(words) {
  return { messages: [{ role: 'user', content: { type: 'text', text: words } }] };
}

function text(value) {
  return { content: [{ type: 'text', text: String(value) }] };
}

if (process.argv[1] === import.meta.filename) serveStdio(createServer);
