import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** A server over HTTP with sessions, of a few lines, so that it is up at once: `listens.mjs PORT [MODE]`. */
const [port, mode] = process.argv.slice(2);
const sessions = new Set();
let calls = 0;

console.log('coming up');
if (mode === 'dies') {
  process.stderr.write('no database\n');
  process.stdout.write('good bye');
  process.exitCode = 3;
} else if (mode === 'deaf') setInterval(() => {}, 60_000);
else createServer(answer).listen(Number(port), '127.0.0.1', () => console.log('listening'));

async function answer(request, response) {
  if (request.method === 'DELETE') sessions.delete(request.headers['mcp-session-id']);
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  const { id, method, params } = JSON.parse(body);
  if (method === 'server/discover') return say(404, { error: { code: -32601, message: 'Method not found' } });
  if (method === 'initialize') {
    const session = randomUUID();
    sessions.add(session);
    response.setHeader('mcp-session-id', session);
    const serverInfo = { name: 'listens', version: '1.0.0' };
    return say(200, { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
  }
  if (id === undefined) return void response.writeHead(202).end();
  if (!sessions.has(request.headers['mcp-session-id'])) return void response.writeHead(404).end();
  if (method === 'tools/list') return say(200, { result: { tools } });
  if (method !== 'tools/call') return say(200, { error: { code: -32601, message: 'Method not found' } });
  if (params.name === 'break off') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return void response.write(': here it comes\n\n', () => setImmediate(die));
  }
  if (params.name === 'die') return die();
  calls += 1;
  const told = { pid: process.pid, calls, sessions: sessions.size, team: request.headers['x-team'] ?? null };
  return say(200, { result: { content: [{ type: 'text', text: JSON.stringify(told) }], structuredContent: told } });

  function say(status, message) {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }));
  }
}

function die() {
  process.stderr.write('the disk is full\n');
  process.exit(7);
}

const tools = ['tell', 'die'].map((name) => ({
  name,
  description: `Does what ${name} says`,
  inputSchema: { type: 'object', properties: {} },
}));
