import { describe, expect, it } from 'vitest';
import { createKey } from '../../src/gateway/access/keys.js';
import { FakeToolbox } from '../server/fake-toolbox.js';
import { startComposed } from './composed.js';

const accept = 'application/json, text/event-stream';

describe('a key that is taken away', () => {
  it('ends the streams and sessions that were opened with it, and no others', async () => {
    const ada = createKey({ name: 'ada' });
    const ben = createKey({ name: 'ben' });
    const gateway = await startComposed(new FakeToolbox(), {
      settings: { heartbeatMs: 40, streamIdleMs: 400 },
      keys: [ada.entry, ben.entry],
    });
    const ends = [];
    for (const path of ['/api/v1/stream/demo', '/api/v1/sse/demo', '/sse']) {
      ends.push((await ask(gateway.url, path, ada.key)).text());
    }
    const session = await beginSession(gateway.url, ada.key);
    ends.push((await ask(gateway.url, '/api/v1/mcp/demo', ada.key, session)).text());
    await ask(gateway.url, '/api/v1/stream/demo', ben.key);

    await gateway.apply({ keys: [ben.entry] });
    await Promise.all(ends);
    await expect.poll(() => figure(gateway.url, ben.key, 'sessions'), { timeout: 10_000 }).toBe(0);
    expect(await figure(gateway.url, ben.key, 'connections{kind="stream"}')).toBe(1);
    expect((await ask(gateway.url, '/api/v1/services', ada.key)).status).toBe(401);
  });
});

function ask(url: string, path: string, key: string, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
  });
}

async function beginSession(url: string, key: string) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const response = await fetch(`${url}/api/v1/mcp/demo`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, accept, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

async function figure(url: string, key: string, name: string): Promise<number> {
  const page = await (await ask(url, '/metrics', key)).text();
  const line = page.split('\n').find((each) => each.startsWith(`mcp_execution_${name} `));
  return Number(line?.split(' ')[1]);
}
