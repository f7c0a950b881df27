import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTool } from '../gateway/gateway-process.js';
import { longMs } from './scale.js';
import {
  connectTo,
  isRunning,
  processesBelow,
  programs,
  type Served,
  serveServers,
  textOf,
  underWay,
} from './stdio-servers.js';

describe.runIf(programs)('MCP servers that others wrote, behind the gateway', { timeout: longMs }, () => {
  const serve = async (): Promise<Served> => {
    if (!programs) throw new Error('The servers are not installed');
    return serveServers(programs);
  };
  const isLong = { name: 'trigger-long-running-operation' } as const;

  it('pass everything on: lists, texts, images, links, structured content, progress and refusals', async () => {
    const gateway = await serve();
    const client = await connectTo(gateway, 'everything');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('get-structured-content');
    const call = (name: string, args = {}) => client.callTool({ name, arguments: args });
    expect(textOf(await call('echo', { message: 'hi' }))).toBe('Echo: hi');
    expect((await call('get-tiny-image')).content).toContainEqual(
      expect.objectContaining({ type: 'image', mimeType: 'image/png' }),
    );
    expect((await call('get-resource-links', { count: 3 })).content).toContainEqual(
      expect.objectContaining({ type: 'resource_link' }),
    );
    expect(await call('get-structured-content', { location: 'New York' })).toHaveProperty('structuredContent');
    const steps: number[] = [];
    const args = { duration: 0.4, steps: 4 };
    await client.callTool({ ...isLong, arguments: args }, { onprogress: ({ progress }) => steps.push(progress) });
    expect(steps.slice(-4)).toEqual([1, 2, 3, 4]);
    expect(await callTool(gateway.url, 'everything', 'ecko', {})).toMatchObject({
      status: 404,
      body: { error: { code: 'UNKNOWN_TOOL' } },
    });
  });

  it('read files where they may, by a few processes for many calls at once', async () => {
    const gateway = await serve();
    const read = (path: string) => callTool(gateway.url, 'files', 'read_text_file', { path });
    expect(await read(join(gateway.folder, 'note.txt'))).toMatchObject({
      status: 200,
      body: { structuredContent: { content: 'a note\n' } },
    });
    expect((await read('/etc/hostname')).status).toBe(500);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        callTool(gateway.url, 'shared', 'echo', { message: `number ${number}` }),
      ),
    );
    expect(answers.map(({ body }) => JSON.stringify(body))).toEqual(
      answers.map((_, number) => expect.stringContaining(`Echo: number ${number}"`)),
    );
  });

  it('remember what they were told', async () => {
    const gateway = await serve();
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    expect((await callTool(gateway.url, 'memory', 'create_entities', { entities })).status).toBe(200);
    const found = await callTool(gateway.url, 'memory', 'search_nodes', { query: 'Ada' });
    expect(JSON.stringify(found.body)).toContain('wrote the first program');
    expect(readFileSync(join(gateway.folder, 'memory.jsonl'), 'utf8')).toContain('Ada');
  });

  it('keep the sessions of their clients apart', async () => {
    const gateway = await serve();
    const [one, two] = [await connectTo(gateway, 'everything'), await connectTo(gateway, 'everything')];
    const toggle = async (client: typeof one) =>
      textOf(await client.callTool({ name: 'toggle-simulated-logging', arguments: {} })).split(' ')[0];
    expect([await toggle(one), await toggle(two), await toggle(one)]).toEqual(['Started', 'Started', 'Stopped']);
  });

  it('that are killed answer their own calls alone, and the next call works', async () => {
    const gateway = await serve();
    const bystander = await connectTo(gateway, 'everything');
    const others = bystander.callTool({ ...isLong, arguments: { duration: 3, steps: 1 } });
    await callTool(gateway.url, 'shared', 'echo', { message: 'ready' });
    const calls = Array.from({ length: 8 }, (_, number) =>
      callTool(gateway.url, 'shared', isLong.name, { duration: 60 + number, steps: 1 }),
    );
    await expect.poll(() => underWay(gateway)).toBe(9);
    for (const pid of processesBelow(gateway, 'stdio')) process.kill(pid, 'SIGKILL');
    for (const call of calls) {
      expect(await call).toMatchObject({ status: 502, body: { error: { code: 'SERVER_FAILED' } } });
    }
    expect((await callTool(gateway.url, 'shared', 'echo', { message: 'again' })).status).toBe(200);
    expect(textOf(await others)).toContain('completed');
  });

  it('leave nothing when their clients vanish, nor when the gateway is killed', async () => {
    const gateway = await serve();
    const gone = Array.from({ length: 10 }, async (_, number) => {
      const signal = AbortSignal.timeout(100 + 40 * number);
      const body = { duration: 60 + number, steps: 1 };
      await callTool(gateway.url, 'everything', isLong.name, body, { signal }).catch(() => undefined);
    });
    await Promise.all(gone);
    await expect.poll(() => underWay(gateway), { timeout: 10_000 }).toBe(0);
    const all = processesBelow(gateway);
    expect(all.length).toBeGreaterThan(3);
    await gateway.kill('SIGKILL');
    await expect.poll(() => all.filter(isRunning), { timeout: 10_000 }).toEqual([]);
  });
});
