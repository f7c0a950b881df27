import { describe, expect, it } from 'vitest';
import { type ClientId, clientIds, findClient, type Machine } from '../../../src/client/config/clients.js';

const linux: Machine = { platform: 'linux', environment: {}, home: '/home/ada', namesIn: () => [] };
const mac: Machine = { platform: 'darwin', environment: {}, home: '/Users/ada', namesIn: () => [] };
const windows: Machine = {
  platform: 'win32',
  environment: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' },
  home: 'C:\\Users\\ada',
  namesIn: () => [],
};

const places: Readonly<Record<ClientId, readonly [linux: string, mac: string, windows: string]>> = {
  'claude-desktop': [
    '/home/ada/.config/Claude/claude_desktop_config.json',
    '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
    'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
  ],
  'claude-code': ['/home/ada/.claude.json', '/Users/ada/.claude.json', 'C:\\Users\\ada\\.claude.json'],
  cursor: ['/home/ada/.cursor/mcp.json', '/Users/ada/.cursor/mcp.json', 'C:\\Users\\ada\\.cursor\\mcp.json'],
  vscode: [
    '/home/ada/.config/Code/User/mcp.json',
    '/Users/ada/Library/Application Support/Code/User/mcp.json',
    'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
  ],
  windsurf: [
    '/home/ada/.codeium/windsurf/mcp_config.json',
    '/Users/ada/.codeium/windsurf/mcp_config.json',
    'C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json',
  ],
  codex: ['/home/ada/.codex/config.toml', '/Users/ada/.codex/config.toml', 'C:\\Users\\ada\\.codex\\config.toml'],
};

describe('the file of a client', () => {
  it.each(clientIds)('%s has its place on every system', (id) => {
    const client = findClient(id);
    expect([linux, mac, windows].map((machine) => client.userFile(machine))).toEqual(places[id]);
  });

  it.each([
    ['claude-desktop', { XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada/Claude/claude_desktop_config.json'],
    ['vscode', { XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada/Code/User/mcp.json'],
    ['claude-code', { CLAUDE_CONFIG_DIR: '/else' }, '/else/.claude.json'],
    ['codex', { CODEX_HOME: '/else' }, '/else/config.toml'],
    ['codex', { CODEX_HOME: '' }, '/home/ada/.codex/config.toml'],
  ])('of %s follows %j', (id, environment, path) => {
    expect(findClient(id).userFile({ ...linux, environment })).toBe(path);
  });

  it('of Claude Desktop is inside its package where Windows has it as one', () => {
    const asked: string[] = [];
    const packaged: Machine = {
      ...windows,
      namesIn: (folder) => {
        asked.push(folder);
        return ['Microsoft.X', 'Claude_pzs8sxrjxfjjc', 'ClaudeOther'];
      },
    };
    expect(findClient('claude-desktop').userFile(packaged)).toBe(
      'C:\\Users\\ada\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
    );
    expect(asked).toEqual(['C:\\Users\\ada\\AppData\\Local\\Packages']);
  });

  it('is found on Windows without its variables', () => {
    const bare = { ...windows, environment: {} };
    expect(findClient('vscode').userFile(bare)).toBe('C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json');
  });

  it.each([
    ['curser', 'cursor'],
    ['claude', 'claude-desktop'],
    ['vs-code', 'vscode'],
    ['claude_code', 'claude-code'],
  ])('of %s is not known, but %s may be meant', (given, meant) => {
    expect(() => findClient(given)).toThrow(`Did you mean ${meant}?`);
  });

  it('of an unknown client is an error that lists the known ones', () => {
    expect(() => findClient('zzzzzzzzz')).toThrow(
      /^There is no client zzzzzzzzz; known are claude-desktop, .*codex\.$/,
    );
    expect(findClient('Cursor').id).toBe('cursor');
  });
});
