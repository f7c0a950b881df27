import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bridge, openBridge } from '../../../src/services/conformance/bridge/bridge.js';
import { bridgeTo, conforming, isGone, quiet } from './bridged.js';

const revision = '2026-07-28';
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/** A request of the revision without sessions, with what every one of them says. */
function ask(
  { url }: Bridge,
  message: { id: number; method: string; params?: Record<string, unknown>; token?: string },
  headers: Record<string, string | undefined> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const { id, method, params = {}, token } = message;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(token !== undefined && { progressToken: token }),
  };
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    'mcp-method': method,
    'mcp-name': typeof params.name === 'string' ? params.name : undefined,
    ...headers,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return fetch(url, { method: 'POST', headers: given, body, ...(signal && { signal }) });
}

async function pidOf(bridge: Bridge): Promise<number> {
  const response = await ask(bridge, { id: 1, method: 'tools/call', params: { name: 'pid', arguments: {} } });
  const { result } = (await response.json()) as { result: { content: [{ text: string }] } };
  return Number(result.content[0].text);
}

function messagesIn(text: string) {
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
}

describe('the bridge, for requests without a session', () => {
  let bridge: Bridge;
  beforeAll(async () => {
    bridge = await openBridge(conforming, { log: quiet });
  });
  afterAll(() => bridge.close());

  it('takes all of them to one process, and each answer to who asked', async () => {
    const call = { id: 1, method: 'tools/call', params: { name: 'test_tool_with_progress', arguments: {} } };
    const answers = await Promise.all(
      ['a', 'b'].map(async (token) => messagesIn(await (await ask(bridge, { ...call, token })).text())),
    );
    for (const [index, token] of ['a', 'b'].entries()) {
      const told = answers[index]?.slice(0, -1).map(({ params }) => params);
      expect(told).toMatchObject([0, 50, 100].map((progress) => ({ progressToken: token, progress })));
      expect(answers[index]?.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    }
    expect(await pidOf(bridge)).toBe(await pidOf(bridge));
  });

  it('refuses headers that say something else than the body, and tells errors by their status', async () => {
    const call = { id: 3, method: 'tools/call', params: { name: 'pid', arguments: {} } };
    const named = (headers: Record<string, string | undefined>) => ask(bridge, call, headers);
    expect((await named({ 'mcp-name': 'other' })).status).toBe(400);
    expect((await named({ 'mcp-name': undefined })).status).toBe(400);
    expect((await named({ 'mcp-method': undefined })).status).toBe(400);
    expect((await named({ 'mcp-protocol-version': undefined })).status).toBe(400);
    expect((await named({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await named({ 'mcp-name': `=?base64?${Buffer.from('pid').toString('base64')}?=` })).status).toBe(200);
    expect((await named({ 'mcp-name': '=?base64?§?=' })).status).toBe(400);
    const unknown = await ask(bridge, { id: 4, method: 'no/such' });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ id: 4, error: { code: -32601 } });
    const noTool = await ask(bridge, { id: 5, method: 'tools/call', params: { name: 'none', arguments: {} } });
    expect(noTool.status).toBe(200);
  });

  it('gives a subscription the id that its client chose, and ends it when the client leaves', async () => {
    await pidOf(bridge);
    const left = new AbortController();
    const filter = { notifications: { resourceSubscriptions: ['test://watched-resource'] } };
    const response = await ask(bridge, { id: 1, method: 'subscriptions/listen', params: filter }, {}, left.signal);
    const reader = response.body?.getReader();
    const [acknowledged] = messagesIn(new TextDecoder().decode((await reader?.read())?.value));
    expect(acknowledged).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { [subscriptionKey]: 1 } },
    });
    left.abort();
    await expect(reader?.read()).rejects.toThrow();
    expect(await pidOf(bridge)).toBeGreaterThan(0);
  });

  it('tells the server when a client leaves in the middle of a call', async () => {
    const left = new AbortController();
    const call = { id: 1, method: 'tools/call', params: { name: 'wait', arguments: {} }, token: 'a' };
    const response = await ask(bridge, call, {}, left.signal);
    await response.body?.getReader().read();
    left.abort();
    const count = { id: 1, method: 'tools/call', params: { name: 'cancelled', arguments: {} } };
    await expect.poll(async () => (await ask(bridge, count)).text()).toContain('"text":"1"');
  });

  it('starts another process after one that died, tells how that ended, and leaves none', async () => {
    const own = await bridgeTo(conforming);
    const died = await ask(own, { id: 1, method: 'tools/call', params: { name: 'die', arguments: {} } });
    expect(await died.json()).toMatchObject({ id: 1, error: { message: expect.stringContaining('exit code 7') } });
    const pid = await pidOf(own);
    await own.close();
    expect(await isGone(pid)).toBe(true);
  });
});
