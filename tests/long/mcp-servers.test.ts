import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerEntry } from '../../src/client/config/config.js';
import { createServers, type Servers, type ServersOptions } from '../../src/client/servers/servers.js';
import { findPython } from '../../src/python/interpreter.js';
import type { CallEvent, JsonObject } from '../../src/toolbox.js';
import { failure, isAlive } from '../client/harness.js';
import { folderWith } from '../engine/harness.js';
import { descendants } from './processes.js';
import { longMs } from './scale.js';
import { programs, textOf } from './stdio-servers.js';

const secret = 'a-very-secret-value-1234';

interface Opened {
  readonly servers: Servers;
  readonly folder: string;
}

/** The three servers by the names that a config gives them. */
async function open(
  options: Partial<ServersOptions> = {},
  folder = folderWith({ 'note.txt': 'a note\n' }),
): Promise<Opened> {
  if (!programs) throw new Error('The servers are not installed');
  const { everything, filesystem, memory } = programs;
  const entries = [
    entry('everything', [everything], { TOKEN: secret }),
    entry('files', [filesystem, folder]),
    entry('memory', [memory], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
  ];
  const { executable } = await findPython();
  const servers = createServers(entries, {
    callTimeoutMs: 60_000,
    startTimeoutMs: 60_000,
    python: executable,
    ...options,
  });
  onTestFinished(() => servers.close());
  return { servers, folder };
}

function entry(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ServerEntry {
  const target = { kind: 'command', command: process.execPath, args, env } as const;
  return { name, origin: '.mcp.json', disabled: false, target, secrets: Object.values(env) };
}

describe.runIf(programs)('MCP servers that others wrote, as a config names them', { timeout: longMs }, () => {
  it('list their tools, and in a later run without being started', async () => {
    const cacheDir = join(folderWith({}), 'lists');
    const first = await open({ cacheDir });
    const listed = await Promise.all(first.servers.names.map((name) => first.servers.list(name)));
    for (const { tools, isRemembered } of listed) {
      expect(tools.length).toBeGreaterThan(5);
      expect(isRemembered).toBe(false);
    }
    await first.servers.close();
    const started: string[] = [];
    const { servers } = await open({ cacheDir, onStart: (name) => started.push(name) }, first.folder);
    for (const [index, name] of servers.names.entries()) {
      expect(await servers.list(name)).toEqual({ ...listed[index], isRemembered: true });
    }
    expect(started).toEqual([]);
    await servers.call('everything', 'echo', { message: 'hi' });
    expect(started).toEqual(['everything']);
  });

  it('answer calls with texts, images, links, structured content, progress, and what they refuse', async () => {
    const { servers } = await open();
    const call = (name: string, args: JsonObject = {}) => servers.call('everything', name, args);
    expect(textOf(await call('echo', { message: 'hi' }))).toBe('Echo: hi');
    expect((await call('get-tiny-image')).content).toContainEqual(expect.objectContaining({ type: 'image' }));
    expect((await call('get-resource-links', { count: 3 })).content).toContainEqual(
      expect.objectContaining({ type: 'resource_link' }),
    );
    expect(await call('get-structured-content', { location: 'New York' })).toHaveProperty('structuredContent');
    const events: CallEvent[] = [];
    const options = { onEvent: (event: CallEvent) => void events.push(event) };
    await servers.call('everything', 'trigger-long-running-operation', { duration: 0.4, steps: 4 }, options);
    expect(events.filter(({ type }) => type === 'progress')).toHaveLength(4);
    expect(await failure(call('ecko'))).toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: 'MCP server everything: The MCP server has no tool "ecko". Did you mean echo?',
    });
    const refused = await call('echo', {}).catch((error: unknown) => error);
    expect(JSON.stringify(refused)).toMatch(/isError|INVALID_ARGUMENTS/);
  });

  it('answer a hundred calls at once, each with its own answer', async () => {
    const { servers } = await open();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, number) => servers.call('everything', 'echo', { message: `number ${number}` })),
    );
    expect(answers.map(textOf)).toEqual(answers.map((_, number) => `Echo: number ${number}`));
    expect(servers.toolbox('everything').status()).toMatchObject({ starts: 1, crashes: 0 });
  });

  it('keep what one call made for the next, and touch only what they may', async () => {
    const { servers, folder } = await open();
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    await servers.call('memory', 'create_entities', { entities }, { caller: 'one' });
    const found = await servers.call('memory', 'search_nodes', { query: 'Ada' }, { caller: 'other' });
    expect(JSON.stringify(found)).toContain('wrote the first program');
    expect(readFileSync(join(folder, 'memory.jsonl'), 'utf8')).toContain('Ada');
    const note = await servers.call('files', 'read_text_file', { path: join(folder, 'note.txt') });
    expect(note.structuredContent).toEqual({ content: 'a note\n' });
    expect(await servers.call('files', 'read_text_file', { path: '/etc/hostname' })).toMatchObject({ isError: true });
  });

  it('that are killed are named, and started again by the next call; the others go on', async () => {
    const { servers } = await open();
    await servers.call('memory', 'read_graph', {});
    const before = new Set(descendants(process.pid).map(({ pid }) => pid));
    await servers.call('everything', 'echo', { message: 'hi' });
    const own = descendants(process.pid).filter(({ pid, depth }) => depth === 2 && !before.has(pid));
    let hear = () => {};
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const work = { duration: 60, steps: 600 };
    const failed = failure(
      servers.call('everything', 'trigger-long-running-operation', work, { onEvent: () => hear() }),
    );
    await heard;
    for (const { pid } of own) process.kill(pid, 'SIGKILL');
    expect(await failed).toMatchObject({
      code: 'SERVER_FAILED',
      message: expect.stringMatching(/^MCP server everything: .*SIGKILL/),
    });
    expect(textOf(await servers.call('everything', 'echo', { message: 'again' }))).toBe('Echo: again');
    expect(servers.toolbox('memory').status()).toMatchObject({ starts: 1, crashes: 0 });
  });

  it('leave nothing behind', async () => {
    const before = new Set(descendants(process.pid).map(({ pid }) => pid));
    const { servers } = await open();
    await Promise.all(servers.names.map((name) => servers.list(name)));
    const own = descendants(process.pid).filter(({ pid }) => !before.has(pid));
    expect(own.length).toBeGreaterThanOrEqual(3);
    await servers.close();
    expect(own.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });
});
