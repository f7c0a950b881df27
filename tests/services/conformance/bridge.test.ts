import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bridge, openBridge } from '../../../src/services/conformance/bridge/bridge.js';
import { bridgeTo, clientOf, conforming, connectTo, isGone, quiet, serverOf, textOf } from './bridged.js';

const servers = join(import.meta.dirname, '../../client/servers');
const tellsItsProcess = serverOf(join(servers, 'answers_with_its_process.mjs'));

async function processOf(client: Client): Promise<number> {
  return JSON.parse(textOf(await client.callTool({ name: 'work', arguments: {} }))).pid;
}

describe('a session through the bridge', () => {
  let bridge: Bridge;
  let client: Client;
  beforeAll(async () => {
    bridge = await openBridge(conforming, { log: quiet });
    client = await clientOf(bridge, { capabilities: { elicitation: {}, sampling: {} } });
  });
  afterAll(async () => {
    await client.close();
    await bridge.close();
  });

  it('passes tools, resources, prompts and completions on as they are', async () => {
    expect(client.getServerVersion()).toEqual({ name: 'conforming', version: '1.0.0' });
    expect(client.getServerCapabilities()).toMatchObject({ resources: { subscribe: true }, completions: {} });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('test_simple_text');
    const { contents } = await client.readResource({ uri: 'test://template/7/data' });
    expect(contents).toMatchObject([{ text: '{"id":"7","data":"Data for 7"}' }]);
    const { messages } = await client.getPrompt({
      name: 'test_prompt_with_arguments',
      arguments: { arg1: 'a', arg2: 'ü' },
    });
    expect(messages[0]?.content).toMatchObject({ text: "Prompt with arguments: arg1='a', arg2='ü'" });
    const ref = { type: 'ref/prompt' as const, name: 'test_prompt_with_arguments' };
    const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'par' } });
    expect(completion.values).toEqual(['paris', 'park', 'party']);
    await expect(client.readResource({ uri: 'test://none' })).rejects.toMatchObject({ code: -32602 });
  });

  it('lets the server ask the person and the model, and takes their answers back to it', async () => {
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept',
      content: { username: params.message },
    }));
    client.setRequestHandler('sampling/createMessage', ({ params }) => ({
      role: 'assistant',
      model: 'none',
      content: { type: 'text', text: `to ${JSON.stringify(params.messages[0]?.content)}` },
    }));
    const elicited = await client.callTool({ name: 'test_elicitation', arguments: { message: 'Who?' } });
    expect(textOf(elicited)).toBe('User response: {"action":"accept","content":{"username":"Who?"}}');
    const sampled = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hi' } });
    expect(textOf(sampled)).toBe('LLM response: to {"type":"text","text":"Hi"}');
  });

  it('brings progress, logs and updates of resources', async () => {
    const heard: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params.data));
    const updated = new Promise((resolve) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri));
    });
    const progress: number[] = [];
    await client.callTool(
      { name: 'test_tool_with_progress', arguments: {} },
      { onprogress: (told) => progress.push(told.progress) },
    );
    expect(progress).toEqual([0, 50, 100]);
    await client.callTool({ name: 'test_tool_with_logging', arguments: {} });
    expect(heard).toEqual(['Tool execution started', 'Tool processing data', 'Tool execution completed']);
    await client.subscribeResource({ uri: 'test://watched-resource' });
    await client.callTool({ name: 'change', arguments: {} });
    expect(await updated).toBe('test://watched-resource');
  });

  it('tells the server of a call that is cancelled, and goes on', async () => {
    const abort = new AbortController();
    const call = client.callTool(
      { name: 'wait', arguments: {} },
      { signal: abort.signal, onprogress: () => abort.abort() },
    );
    await expect(call).rejects.toThrow();
    await expect.poll(async () => textOf(await client.callTool({ name: 'cancelled', arguments: {} }))).toBe('1');
  });

  it('tells how the server ended that dies in a call, and is over', async () => {
    await expect(client.callTool({ name: 'die', arguments: {} })).rejects.toThrow('ended with exit code 7');
    await expect.poll(() => client.ping().then(String, String)).toContain('Session not found');
  });
});

describe('the bridge', () => {
  it('gives each session a process of its own, which ends with it', async () => {
    const bridge = await bridgeTo(tellsItsProcess);
    const one = await connectTo(bridge);
    const other = await connectTo(bridge);
    const [first, second] = [await processOf(one), await processOf(other)];
    expect(first).not.toBe(second);
    await Reflect.get(one.transport ?? {}, 'terminateSession').call(one.transport);
    expect(await isGone(first)).toBe(true);
    expect(await processOf(other)).toBe(second);
    await bridge.close();
    expect(await isGone(second)).toBe(true);
    await expect(fetch(bridge.url)).rejects.toThrow();
  });

  it('keeps few sessions that nobody uses, and of those the newest', async () => {
    const bridge = await bridgeTo(tellsItsProcess);
    const left: number[] = [];
    for (let count = 0; count < 5; count++) {
      const client = await connectTo(bridge);
      left.push(await processOf(client));
      await client.close();
    }
    await connectTo(bridge);
    expect(await isGone(left[0] ?? 0)).toBe(true);
    expect(left.slice(2).map((pid) => process.kill(pid, 0))).toEqual([true, true, true]);
  });

  it('hides no answer that breaks the form of JSON-RPC', async () => {
    const client = await connectTo(await bridgeTo(serverOf(join(import.meta.dirname, 'servers/breaks_the_form.mjs'))));
    await expect(client.callTool({ name: 'work', arguments: {} })).rejects.toThrow(
      'breaks the rules of JSON-RPC: its error has no code that is a whole number',
    );
  });

  it('tells why a server cannot be started', async () => {
    const bridge = await bridgeTo({ kind: 'command', command: 'no-such-program', args: [] });
    await expect(connectTo(bridge)).rejects.toThrow('there is no such program');
  });
});
