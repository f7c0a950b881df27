import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';

/** How a client's file names its servers. */
export type ConfigForm =
  | { readonly kind: 'json'; readonly key: 'mcpServers' | 'servers'; readonly typed: boolean }
  | { readonly kind: 'toml'; readonly key: 'mcp_servers' };

export interface Client {
  readonly id: ClientId;
  readonly title: string;
  readonly form: ConfigForm;
  /** The file of the user. */
  userFile(machine: Machine): string;
  /** The file of a project, seen from its folder. */
  readonly projectFile?: readonly string[];
  /** What makes the client see a change. */
  readonly afterwards: string;
}

/** What decides where a client keeps its file. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** Names in a folder; none where there is no such folder. */
  namesIn(folder: string): readonly string[];
}

export const clientIds = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'codex'] as const;
export type ClientId = (typeof clientIds)[number];

export function findClient(id: string): Client {
  const known = clientIds.find((one) => one === id.toLowerCase());
  if (known !== undefined) return clients[known];
  const near = nearest(id, [...clientIds, ...Object.keys(otherNames)]);
  const hint = near === undefined ? '' : ` Did you mean ${otherNames[near] ?? near}?`;
  const message = `There is no client ${id}; known are ${clientIds.join(', ')}.${hint}`;
  throw new CallerError('INVALID_ARGUMENTS', message, { argument: 'client' });
}

export function thisMachine(environment: NodeJS.ProcessEnv): Machine {
  const home = (process.platform === 'win32' ? environment.USERPROFILE : environment.HOME) || homedir();
  return { platform: process.platform, environment, home, namesIn };
}

const otherNames: Readonly<Record<string, ClientId>> = { claude: 'claude-desktop', code: 'vscode', openai: 'codex' };

const named = { kind: 'json', key: 'mcpServers', typed: false } as const;

const clients: Readonly<Record<ClientId, Client>> = {
  'claude-desktop': {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    form: named,
    userFile: (machine) => join(machine, claudeFolder(machine), 'claude_desktop_config.json'),
    afterwards: 'Quit Claude Desktop and start it again.',
  },
  'claude-code': {
    id: 'claude-code',
    title: 'Claude Code',
    form: { ...named, typed: true },
    userFile: (machine) => join(machine, machine.environment.CLAUDE_CONFIG_DIR || machine.home, '.claude.json'),
    projectFile: ['.mcp.json'],
    afterwards: 'Start a new session of Claude Code; /mcp shows the server.',
  },
  cursor: {
    id: 'cursor',
    title: 'Cursor',
    form: named,
    userFile: (machine) => join(machine, machine.home, '.cursor', 'mcp.json'),
    projectFile: ['.cursor', 'mcp.json'],
    afterwards: 'Restart Cursor, or turn the server on in its settings under MCP.',
  },
  vscode: {
    id: 'vscode',
    title: 'VS Code',
    form: { kind: 'json', key: 'servers', typed: true },
    userFile: (machine) => join(machine, applicationData(machine), 'Code', 'User', 'mcp.json'),
    projectFile: ['.vscode', 'mcp.json'],
    afterwards: 'Run "MCP: List Servers" in VS Code and start the server.',
  },
  windsurf: {
    id: 'windsurf',
    title: 'Windsurf',
    form: named,
    userFile: (machine) => join(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'),
    afterwards: 'Refresh the MCP servers in Windsurf, or restart it.',
  },
  codex: {
    id: 'codex',
    title: 'Codex',
    form: { kind: 'toml', key: 'mcp_servers' },
    userFile: (machine) =>
      join(machine, machine.environment.CODEX_HOME || join(machine, machine.home, '.codex'), 'config.toml'),
    projectFile: ['.codex', 'config.toml'],
    afterwards: 'Start Codex anew; /mcp shows the server.',
  },
};

function applicationData(machine: Machine): string {
  const { platform, environment, home } = machine;
  if (platform === 'win32') return environment.APPDATA || join(machine, home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(machine, home, 'Library', 'Application Support');
  return environment.XDG_CONFIG_HOME || join(machine, home, '.config');
}

/** Installed as a package, Claude Desktop sees another folder than the one that Windows shows to others. */
function claudeFolder(machine: Machine): string {
  const usual = join(machine, applicationData(machine), 'Claude');
  if (machine.platform !== 'win32') return usual;
  const local = machine.environment.LOCALAPPDATA || join(machine, machine.home, 'AppData', 'Local');
  const packages = join(machine, local, 'Packages');
  const [packaged] = machine.namesIn(packages).filter((name) => /^Claude_[a-z0-9]+$/i.test(name));
  return packaged === undefined ? usual : join(machine, packages, packaged, 'LocalCache', 'Roaming', 'Claude');
}

function join({ platform }: Machine, ...parts: readonly string[]): string {
  return platform === 'win32' ? win32.join(...parts) : posix.join(...parts);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
