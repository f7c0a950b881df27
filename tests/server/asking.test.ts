import { describe, expect, it } from 'vitest';
import { FakeToolbox } from './fake-toolbox.js';
import { createRawClient, initialize } from './raw-client.js';

const never = new AbortController().signal;
const capable = { ...initialize, params: { ...initialize.params, capabilities: { elicitation: {} } } };

describe('a question to the person', () => {
  it.each([
    [{ result: { action: 'accept', content: {} } }, true],
    [{ result: { action: 'decline' } }, false],
    [{ result: { action: 'cancel' } }, false],
    [{ result: { action: 'perhaps' } }, false],
    [{ error: { code: -32601, message: 'Method not found' } }, false],
  ])('that the client answers with %j is answered with %j', async (answer, permitted) => {
    const client = await introduce(capable);
    const asked = client.server.ask('Permit this?', never);
    const { id, params } = await client.frame(({ method }) => method === 'elicitation/create');
    expect(params).toMatchObject({ message: 'Permit this?', requestedSchema: { type: 'object', properties: {} } });
    client.write({ jsonrpc: '2.0', id, ...answer });
    expect(await asked).toBe(permitted);
  });

  it('has no answer where the client cannot ask, or nobody has introduced itself', async () => {
    expect(await (await introduce(initialize)).server.ask('Permit this?', never)).toBeUndefined();
    expect(await createRawClient(new FakeToolbox()).server.ask('Permit this?', never)).toBeUndefined();
  });

  it('is given up with a word to the client, and a late answer belongs to nothing', async () => {
    const client = await introduce(capable);
    const given = new AbortController();
    const asked = client.server.ask('Permit this?', given.signal);
    const { id } = await client.frame(({ method }) => method === 'elicitation/create');
    given.abort();
    expect(await asked).toBe(false);
    await client.frame(({ method }) => method === 'notifications/cancelled');
    client.write({ jsonrpc: '2.0', id, result: { action: 'accept', content: {} } });
    client.write({ jsonrpc: '2.0', id: 'after', method: 'ping' });
    expect(await client.answer('after')).toMatchObject({ result: {} });
  });

  it('ends with the connection', async () => {
    const client = await introduce(capable);
    const asked = client.server.ask('Permit this?', never);
    await client.frame(({ method }) => method === 'elicitation/create');
    client.input.end();
    expect(await asked).toBe(false);
  });
});

async function introduce(words: object) {
  const client = createRawClient(new FakeToolbox());
  client.write(words);
  await client.answer('initialize');
  client.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return client;
}
