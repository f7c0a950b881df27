import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { completeFlags } from '../../src/cli/code-flags.js';
import { addLogin } from '../../src/cli/login.js';
import { addSettings } from '../../src/cli/settings.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { browserCommand } from '../../src/client/oauth/browser.js';
import { type Authority, type AuthorityOptions, createAuthority } from '../client/oauth/authority.js';
import { browse, createPlace, type Place, reach } from '../client/oauth/harness.js';
import { createFolder, writeExecutable } from '../interpreter/scripts.js';
import { quietEngine } from './fake.js';

interface Scene {
  readonly authority: Authority;
  readonly place: Place;
  readonly folder: string;
  readonly config: string;
}

describe('mcp-exec login', () => {
  it('prints the page alone to stdout, waits for the browser, and keeps the login', async () => {
    const { authority, place, config } = await createScene();
    const { exitCode, stdout, stderr } = await say(['login', 'shop', '--config', config], { place, onPage: browse });
    expect(stdout).toMatch(new RegExp(`^${authority.origin}/authorize\\?\\S+\\n$`));
    expect(stderr).toBe(
      'Log in to shop on this page:\nOpen it in a browser. Waiting …\nLogged in to shop; it renews itself.\n',
    );
    expect(exitCode).toBe(0);
    expect(await place.logins.list()).toMatchObject([{ name: 'shop', server: authority.url }]);
    expect((await reach(authority, place).listTools()).length).toBeGreaterThan(0);
    for (const secret of authority.secrets) expect(`${stdout}${stderr}`).not.toContain(secret);
  });

  it('takes an address without any config', async () => {
    const { authority, place } = await createScene();
    const { exitCode, stderr } = await say(['login', authority.url], { place, onPage: browse });
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining(`Logged in to ${authority.url}; it renews itself.`),
    ]);
  });

  it.runIf(process.platform === 'linux')('opens the browser where there is one, without a shell', async () => {
    const { authority, place, folder, config } = await createScene();
    const opened = join(folder, 'opened');
    await writeExecutable(
      join(folder, 'xdg-open'),
      `printf '%s\\n' "$#" "$1" > '${opened}'`,
      `exec '${process.execPath}' -e 'fetch(process.argv[1])' "$1"`,
    );
    const environment = { DISPLAY: ':0', PATH: `${folder}:${process.env.PATH}` };
    const { exitCode, stdout, stderr } = await say(['login', 'shop', '--config', config], { place, environment });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('It opens in your browser.')]);
    expect(await readFile(opened, 'utf8')).toBe(`1\n${stdout}`);
    expect(stdout).toContain(`${authority.origin}/authorize?`);
  });

  it('opens nothing with --no-browser', async () => {
    const { place, config } = await createScene();
    const environment = { DISPLAY: ':0', PATH: '/nowhere' };
    const { exitCode, stderr } = await say(['login', 'shop', '--config', config, '--no-browser'], {
      place,
      environment,
      onPage: browse,
    });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Open it in a browser.')]);
  });

  it('goes on where the program that opens pages is missing', async () => {
    const { place, config } = await createScene();
    const environment = { DISPLAY: ':0', PATH: '/nowhere' };
    const said = await say(['login', 'shop', '--config', config], { place, environment, onPage: browse });
    expect(said.exitCode).toBe(0);
  });

  it('ends with 130 at Ctrl-C', async () => {
    const { place, config } = await createScene();
    const interruption = new AbortController();
    const { exitCode } = await say(['login', 'shop', '--config', config], {
      place,
      interrupt: interruption.signal,
      onPage: async () => interruption.abort(),
    });
    expect(exitCode).toBe(130);
    expect(await place.logins.list()).toEqual([]);
  });

  it('shows the logins that there are, and none of their tokens', async () => {
    const { authority, place, config } = await createScene();
    expect(await say(['login', '--list'], { place })).toMatchObject({ exitCode: 0, stdout: '' });
    await say(['login', 'shop', '--config', config], { place, onPage: browse });
    const { exitCode, stdout } = await say(['login', '--list'], { place });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^SERVER +ADDRESS +SINCE +STATE\nshop +${authority.url} +\\d{4}-\\d\\d-\\d\\d +renews itself\n$`),
    );
    for (const secret of authority.secrets) expect(stdout).not.toContain(secret);
  });

  it('shows when a login ends that cannot be renewed', async () => {
    const { place, config } = await createScene({ givesRefreshTokens: false });
    const { stderr } = await say(['login', 'shop', '--config', config], { place, onPage: browse });
    expect(stderr).toMatch(/Logged in to shop; until \d{4}-\S+Z\.\n$/);
    expect((await say(['login', '--list'], { place })).stdout).toMatch(/ until \d{4}-\S+Z\n$/);
  });

  it('forgets a login, tells the authorization server, and takes it calmly where there is none', async () => {
    const { authority, place, config } = await createScene();
    await say(['login', 'shop', '--config', config], { place, onPage: browse });
    const words = ['login', '--logout', 'shop', '--config', config];
    const { exitCode, stdout, stderr } = await say(words, { place });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'The login to shop is forgotten.\n',
    });
    expect(authority.revoked).toEqual([authority.secrets[1]]);
    expect(await place.logins.list()).toEqual([]);
    expect(await say(words, { place })).toMatchObject({ exitCode: 0, stderr: 'There was no login to shop.\n' });
  });

  it('forgets a login by its name although no config names the server any more', async () => {
    const { place, config } = await createScene({ metadata: { revocation_endpoint: undefined } });
    await say(['login', 'shop', '--config', config], { place, onPage: browse });
    await writeFile(config, '{ "mcpServers": {} }');
    const { exitCode, stderr } = await say(['login', '--logout', 'shop', '--config', config], { place });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('was not told, and may keep it')]);
    expect(await place.logins.list()).toEqual([]);
  });

  it.each([
    [['login'], /Name the server/],
    [['login', '--list', 'shop'], /--list stands alone/],
    [['login', 'shop', '--port', '0'], /--port: expected a number from 1 to 65535/],
    [['login', 'shop', '--port', 'x'], /--port: expected a number from 1 to 65535/],
    [['login', 'shopp'], /UNKNOWN_SERVER: .*no server "shopp"\. Did you mean shop\?/],
    [['login', 'local'], /local is a command that is started here/],
    [['login', 'keyed'], /keyed an Authorization header, which is used instead/],
    [['login', 'unset'], /NOT_SET_ANYWHERE/],
    [['login', 'http://me:secret@shop.example/'], /malformed, or holds credentials/],
    [['login', 'http://shop.example/mcp'], /a login needs https/],
  ])('refuses %j with exit code 2', async (words, message) => {
    const { place, config } = await createScene();
    const { exitCode, stdout, stderr } = await say([...words, '--config', config], { place });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('secret');
  });

  it.each([
    ['darwin', {}, ['open']],
    ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
    ['linux', {}, undefined],
  ] as const)('opens pages on %s with %j by %j', (platform, environment, command) => {
    expect(browserCommand(platform, environment)).toEqual(command);
  });
});

async function createScene(options: AuthorityOptions = {}): Promise<Scene> {
  const authority = await createAuthority(options);
  const folder = await createFolder();
  const config = join(folder, 'mcp.json');
  const mcpServers = {
    shop: { url: authority.url },
    local: { command: 'some-server' },
    keyed: { url: 'https://keyed.example/mcp', headers: { Authorization: 'Bearer secret' } },
    unset: { url: 'https://unset.example/$' + '{NOT_SET_ANYWHERE}' },
  };
  await writeFile(config, JSON.stringify({ mcpServers }));
  return { authority, folder, config, place: await createPlace(join(folder, 'logins')) };
}

interface Saying {
  readonly place: Place;
  readonly environment?: NodeJS.ProcessEnv;
  readonly interrupt?: AbortSignal;
  readonly onPage?: (page: URL) => Promise<unknown>;
}

async function say(words: readonly string[], { place, onPage, ...scene }: Saying) {
  let [stdout, stderr, exitCode] = ['', '', 0];
  const visits: Promise<unknown>[] = [];
  const terminal: Terminal = {
    out(text) {
      stdout += text;
      if (onPage && text.startsWith('http')) visits.push(onPage(new URL(text.trim())));
    },
    note(text) {
      stderr += text;
    },
    watched: false,
    outWatched: false,
    colours: false,
    environment: { MCP_EXECUTION_LOGINS_DIR: place.folder, COLUMNS: '200', ...scene.environment },
    interrupt: scene.interrupt ?? new AbortController().signal,
    input: () => Readable.from([]),
    createEngine: async () => quietEngine,
  };
  const program = new Command('mcp-exec').hook('preSubcommand', (_program, verb) => completeFlags(verb)).exitOverride();
  addSettings(program);
  addLogin(program, terminal, (code) => {
    exitCode = code;
  });
  await program.parseAsync(words, { from: 'user' });
  await Promise.allSettled(visits);
  return { exitCode, stdout, stderr };
}
