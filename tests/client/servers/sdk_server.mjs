import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const names = ['echo', 'blocks', 'structured', 'fails', 'steps', 'talks', 'waits', 'environment'];

const work = {
  echo: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
  blocks: () => ({
    content: [
      { type: 'text', text: 'words' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'test://one', mimeType: 'text/plain', text: 'inside' } },
      { type: 'resource_link', uri: 'test://two', name: 'two' },
    ],
  }),
  structured: () => ({ content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1, list: [null, 'a'] } }),
  fails: () => ({ content: [{ type: 'text', text: 'it did not work' }], isError: true }),
  steps: async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const done of [1, 2, 3]) {
      const params = { progressToken, progress: done, total: 3, message: `step ${done}` };
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return { content: [] };
  },
  talks: async (_args, { mcpReq }) => {
    await mcpReq.notify({ method: 'notifications/message', params: { level: 'warning', data: 'watch out' } });
    await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: { some: 'data' } } });
    return { content: [] };
  },
  waits: (_args, { mcpReq }) =>
    new Promise((_resolve, reject) => {
      const progressToken = mcpReq._meta?.progressToken;
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 0 } });
      mcpReq.signal.addEventListener('abort', () => {
        process.stderr.write('the wait was cancelled\n');
        reject(new Error('cancelled'));
      });
    }),
  environment: () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }),
};

export function createServer() {
  const server = new Server({ name: 'fixture', version: '1.2.3' }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: names.map((name) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' } })),
  }));
  server.setRequestHandler('tools/call', ({ params }, context) => work[params.name](params.arguments ?? {}, context));
  server.setRequestHandler('logging/setLevel', () => ({}));
  return server;
}

if (process.argv[1] === import.meta.filename) serveStdio(createServer);
