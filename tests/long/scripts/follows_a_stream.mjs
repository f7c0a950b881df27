// Calls `count` over a stream, comes back whenever the stream breaks or falls silent, and writes what it heard.
import { request } from 'node:http';

const [url, key, to, pause] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}` };
const silenceMs = 2000;
const heard = { lines: [], gaps: 0, connections: 0 };
let lastId;
let isAsked = false;

for (;;) {
  const answer = await listen().catch(() => undefined);
  if (answer) break;
  await new Promise((resolve) => setTimeout(resolve, 200));
}
process.stdout.write(`${JSON.stringify({ end: heard })}\n`);

/** Resolves with the answer, or with nothing when the connection is over before it. */
function listen() {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/v1/stream/demo`, {
      headers: { ...headers, ...(lastId && { 'last-event-id': lastId }) },
      agent: false,
      timeout: silenceMs,
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', reject);
    asked.on('response', (response) => {
      if (response.statusCode !== 200) throw new Error(`the stream was answered with ${response.statusCode}`);
      heard.connections += 1;
      let text = '';
      response.on('error', reject).on('close', () => resolve(undefined));
      response.setEncoding('utf8').on('data', (piece) => {
        const blocks = (text + piece).split('\n\n');
        text = blocks.pop();
        for (const block of blocks) take(block, resolve, asked);
      });
    });
    asked.end();
  });
}

function take(block, resolve, asked) {
  const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  lastId = field('id') ?? lastId;
  const data = JSON.parse(field('data') ?? 'null');
  const event = field('event');
  if (event === 'stream' && !isAsked) void ask(data.post);
  else if (event === 'gap') heard.gaps += 1;
  else if (data?.partial) {
    heard.lines.push(data.data);
    process.stdout.write(`${data.data}\n`);
  } else if (data?.result || data?.error) {
    resolve(data);
    asked.destroy();
  }
}

/** The key lets the request be repeated until it is certain that it arrived. */
async function ask(post) {
  isAsked = true;
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'count', arguments: { to: Number(to), pause: Number(pause) } },
  };
  for (;;) {
    const status = await send(`${url}${post}`, JSON.stringify(message)).catch(() => 0);
    if (status === 202 || status === 409) return;
  }
}

function send(address, body) {
  return new Promise((resolve, reject) => {
    const asked = request(address, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      agent: false,
      timeout: silenceMs,
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', reject).on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.end(body);
  });
}
