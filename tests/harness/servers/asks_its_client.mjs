import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

/** A server that asks its client for everything that there is, and tells what nobody asked for. */
export function createServer() {
  const server = new McpServer(
    { name: 'asks', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
  );
  server.server.oninitialized = () => askAtOnce(server);
  addQuestions(server);
  addRounds(server);
  addNews(server);
  return server;
}

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const place = inputRequired.elicit({ message: 'Which city?', requestedSchema: city });
let rootsAtFirst = 'not asked';

/** Before any request, as some servers do. */
function askAtOnce(server) {
  if (!server.server.getClientCapabilities()?.roots) return;
  server.server.listRoots().then(
    ({ roots }) => {
      rootsAtFirst = roots.map(({ uri }) => uri).join();
    },
    ({ message }) => {
      rootsAtFirst = message;
    },
  );
}

function addQuestions(server) {
  ask(server, 'book', { place }, ({ place: said }) => `${said.action} ${JSON.stringify(said.content ?? null)}`);
  const messages = [{ role: 'user', content: { type: 'text', text: 'A word for tea' } }];
  const word = inputRequired.createMessage({ messages, maxTokens: 5 });
  ask(server, 'name', { word }, ({ word: said }) => `${said.content.text} by ${said.model}, ${said.stopReason}`);
  ask(server, 'roots', { roots: inputRequired.listRoots() }, ({ roots }) => JSON.stringify(roots.roots));
  const url = inputRequired.elicitUrl({ message: 'Pay there', url: 'https://pay.example', elicitationId: 'one' });
  ask(server, 'pay', { url }, ({ url: said }) => said.action);
  server.registerTool('roots_at_first', { inputSchema: z.object({}) }, () => text(rootsAtFirst));
}

function ask(server, name, inputRequests, say) {
  server.registerTool(name, { inputSchema: z.object({}) }, (_args, { mcpReq }) =>
    mcpReq.inputResponses ? text(say(mcpReq.inputResponses)) : inputRequired({ inputRequests }),
  );
}

function addRounds(server) {
  server.registerTool('twice', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    const answer = inputResponse(mcpReq.inputResponses, 'place');
    const before = mcpReq.requestState();
    if (before === undefined && answer.kind === 'missing') {
      return inputRequired({ inputRequests: { place }, requestState: 'nothing yet' });
    }
    if (before === 'nothing yet') return inputRequired({ inputRequests: { place }, requestState: answer.content.city });
    return text(`${before}, then ${answer.content.city}`);
  });
  let calls = 0;
  server.registerTool('endless', { inputSchema: z.object({}) }, () => {
    calls += 1;
    return inputRequired({ inputRequests: { place }, requestState: String(calls) });
  });
  server.registerTool('later', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    return mcpReq.requestState() === undefined ? inputRequired({ requestState: 'busy' }) : text('now');
  });
}

function addNews(server) {
  server.registerTool('learn', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => {
    // After the answer.
    setImmediate(() => server.registerTool(name, { inputSchema: z.object({}) }, () => text(name)));
    return text('learned');
  });
  server.registerTool('ring', { inputSchema: z.object({ times: z.int() }) }, async ({ times }, { mcpReq }) => {
    for (let number = 1; number <= times; number += 1) {
      await mcpReq.notify({ method: 'notifications/desk/rang', params: { number } });
    }
    return text('rang');
  });
  server.server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    setImmediate(() => server.server.sendResourceUpdated({ uri }));
    return {};
  });
}

function text(words) {
  return { content: [{ type: 'text', text: words }] };
}

if (process.argv[1] === import.meta.filename) serveStdio(createServer);
