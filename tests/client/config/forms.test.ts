import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { McpConfig } from '../../../src/client/config/config.js';
import { readMcpConfig } from '../../../src/client/config/config.js';
import { fixtures, machine, readFixture } from './reading.js';

describe('the config of', () => {
  it('Claude Desktop names servers among other things', async () => {
    const config = await readFixture('claude-desktop/claude_desktop_config.json');
    const folder = join(fixtures, 'claude-desktop');
    expect(targets(config)).toEqual({
      filesystem: {
        kind: 'command',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/files'],
        cwd: folder,
      },
      'brave-search': {
        kind: 'command',
        command: 'npx',
        args: ['-y', 'brave-search-server'],
        cwd: folder,
        env: { BRAVE_API_KEY: 'brave-literal-key' },
      },
    });
    expect(config.files).toEqual([join(folder, 'claude_desktop_config.json')]);
    expect(config.entries[1]).toMatchObject({
      origin: config.files[0],
      disabled: false,
      secrets: ['brave-literal-key'],
    });
  });

  it('Claude Code names those of the user and of the project that one is in, which count first', async () => {
    const given = { environment: { TRACKER_TOKEN: 'tracker-secret' }, cwd: '/srv/shop' };
    const config = await readFixture('claude-code/.claude.json', given);
    expect(targets(config)).toMatchObject({
      'shop-db': { command: 'shop-db', args: ['--port', '5432'] },
      notes: { command: 'shop-notes' },
      tracker: {
        kind: 'url',
        url: 'https://tracker.example.com/mcp',
        headers: { Authorization: 'Bearer tracker-secret' },
      },
    });
    expect(config.entries.map(({ name }) => name)).toEqual(['shop-db', 'notes', 'tracker']);
    expect(config.entries[2]?.login).toEqual({ clientId: 'known-client', callbackPort: 4123 });
    expect(config.notes).toEqual([expect.stringMatching(/the server notes is passed over/)]);
    const elsewhere = await readFixture('claude-code/.claude.json', { ...given, cwd: '/srv' });
    expect(elsewhere.entries.map(({ name }) => name)).toEqual(['notes', 'tracker']);
  });

  it('Cursor is about the project around its folder', async () => {
    const environment = { LOCAL_API_KEY: 'local-secret', REMOTE_SECRET: 'remote-secret' };
    const config = await readFixture('cursor/.cursor/mcp.json', { environment });
    const project = join(fixtures, 'cursor');
    expect(targets(config)).toEqual({
      local: {
        kind: 'command',
        command: 'python',
        args: [join(project, 'tools/server.py')],
        cwd: project,
        env: { API_KEY: 'local-secret' },
      },
      remote: { kind: 'url', url: 'https://remote.example.com/mcp', headers: { 'X-Key': 'public-key' } },
    });
    expect(config.entries[1]?.login).toEqual({
      clientId: 'cursor-client',
      clientSecret: 'remote-secret',
      scopes: ['read', 'write'],
    });
    expect(config.entries[1]?.secrets).toContain('remote-secret');
  });

  it('VS Code has servers, inputs and files of variables', async () => {
    const config = await readFixture('vscode/.vscode/mcp.json', { inputs: { 'github-token': 'github-secret' } });
    const project = join(fixtures, 'vscode');
    expect(targets(config)).toEqual({
      github: {
        kind: 'url',
        url: 'https://api.example.com/mcp/eu',
        headers: { Authorization: 'Bearer github-secret' },
      },
      files: {
        kind: 'command',
        command: 'npx',
        args: ['-y', 'files-server', project, '/home/ada/notes'],
        cwd: project,
        env: { FILES_TOKEN: 'token from a file', LEVEL: '3', QUIET: 'true' },
      },
      events: { kind: 'url', url: 'http://127.0.0.1:9000/sse' },
    });
  });

  it("VS Code may stand among the editor's settings", async () => {
    const config = await readFixture('vscode/settings.json');
    expect(targets(config)).toMatchObject({ older: { command: 'older-server', args: ['default-of-the-key'] } });
  });

  it('Windsurf has addresses by another name, and servers that are off', async () => {
    const config = await readFixture('windsurf/mcp_config.json', { environment: { FIGMA_KEY: 'figma-secret' } });
    expect(config.entries).toMatchObject([
      {
        name: 'figma',
        target: { url: 'https://figma.example.com/mcp', headers: { API_KEY: 'Bearer figma-secret' } },
        secrets: ['figma-secret', 'Bearer figma-secret'],
      },
      { name: 'off', disabled: true },
    ]);
    expect(config.entries[1]).not.toHaveProperty('problem');
  });

  it('Codex is TOML, with variables by name and times in seconds', async () => {
    const environment = { DOCS_TOKEN: 'docs-secret', FAR_TOKEN: 'far-secret', FAR_TENANT: 'tenant-secret' };
    const config = await readFixture('codex/config.toml', { environment });
    expect(config.entries).toMatchObject([
      {
        name: 'docs',
        target: { command: 'npx', args: ['-y', 'docs-server'], env: { DOCS_TOKEN: 'docs-secret', LEVEL: '2' } },
        startTimeoutMs: 20_000,
        timeoutMs: 1500,
      },
      {
        name: 'far',
        target: {
          url: 'https://far.example.com/mcp',
          headers: { 'X-Region': 'eu', 'X-Tenant': 'tenant-secret', Authorization: 'Bearer far-secret' },
        },
        login: { scopes: ['read'] },
      },
      { name: 'dotted.name', disabled: true },
    ]);
    const bare = await readFixture('codex/config.toml');
    expect(bare.entries[1]?.problem?.message).toMatch(
      /config\.toml, line 17, column \d+: mcp_servers\.far\.env_http_headers\.X-Tenant: the variable FAR_TENANT is not set/,
    );
  });

  it('a project may give a command as one text or as a list', async () => {
    const config = await readFixture('project/.mcp.json');
    const folder = join(fixtures, 'project');
    expect(targets(config)).toEqual({
      'one-line': { kind: 'command', command: 'npx', args: ['-y', 'odd server', '--level', '3'], cwd: folder },
      list: { kind: 'command', command: 'uvx', args: ['mcp-server-git', '--repository', '.'], cwd: folder },
      beside: {
        kind: 'command',
        command: join(folder, 'server.sh'),
        args: [],
        cwd: folder,
        env: { HOME_OF_IT: '/nowhere' },
      },
    });
  });
});

describe('a client', () => {
  const clientFile = { cursor: '.cursor/mcp.json', codex: 'config.toml' };

  it.each([
    ['cursor', { home: join(fixtures, 'cursor') }, clientFile.cursor],
    ['Codex', { environment: { CODEX_HOME: join(fixtures, 'codex') } }, clientFile.codex],
  ])('%s may be named in place of its file, which is about the folder one works in', async (name, place, file) => {
    const config = await readMcpConfig([name], {
      environment: { LOCAL_API_KEY: 'x' },
      machine: { ...machine, ...place },
      cwd: '/srv',
    });
    expect(config.files).toEqual([join(fixtures, name.toLowerCase(), file)]);
    expect(config.entries[0]?.target).toMatchObject({ cwd: '/srv' });
  });

  it('that has no file yet is an error that names the place', async () => {
    const reading = readMcpConfig(['windsurf'], { environment: {}, machine });
    await expect(reading).rejects.toThrow(
      '/home/ada/.codeium/windsurf/mcp_config.json cannot be read: there is no such file',
    );
  });

  it('that is spelt wrong is suggested', async () => {
    const reading = readMcpConfig(['curser'], { environment: {}, machine, cwd: '/srv' });
    await expect(reading).rejects.toThrow(/\/srv\/curser cannot be read: .*; did you mean the client cursor\?/);
  });
});

function targets({ entries }: McpConfig): Readonly<Record<string, unknown>> {
  for (const { problem } of entries) if (problem) throw problem;
  return Object.fromEntries(entries.map(({ name, target }) => [name, target]));
}
