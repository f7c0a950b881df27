import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { say } from './fake.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
let folder: string;
let script: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-execution-export-')));
  environment = { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, HOME: join(folder, 'home') };
  script = join(folder, 'work', 'weather.py');
  await mkdir(join(folder, 'work', 'data'), { recursive: true });
  await writeFile(join(folder, 'work', 'places.py'), 'def known(place):\n    return place in {"Rome", "Oslo"}\n');
  await writeFile(join(folder, 'work', 'data', 'words.txt'), 'sunny');
  await writeFile(
    script,
    `"""Weather of places."""
from pathlib import Path

import places


def now(place: str, days: int = 1) -> str:
    """Tells the weather.

    Args:
        place: A city.
    """
    word = (Path(__file__).parent / "data" / "words.txt").read_text()
    return f"{place} ({places.known(place)}): {word} for {days}"


def fails() -> None:
    """Fails."""
    raise ValueError("always")
`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function write(...words: readonly string[]) {
  return say(['--cache-dir', join(folder, 'cache'), 'export', script, '--include', 'data', ...words], { environment });
}

/** Speaks with the server from a folder that is empty but for an empty node_modules. */
async function speakWith<T>(
  server: string,
  words: readonly string[],
  talk: (client: Client) => Promise<T>,
): Promise<T> {
  const cwd = await mkdtemp(join(folder, 'empty-'));
  await mkdir(join(cwd, 'node_modules'));
  const env = { PATH: process.env.PATH ?? '', HOME: cwd };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [server, ...words],
    cwd,
    env,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  try {
    return await talk(client);
  } finally {
    await client.close();
  }
}

/** Elsewhere, so that nothing of this project can be found by searching upwards. */
async function elsewhere(exported: string): Promise<string> {
  const away = join(await mkdtemp(join(folder, 'away-')), 'a server');
  await cp(exported, away, { recursive: true });
  return join(away, 'server.mjs');
}

describe('an export', () => {
  it('works from an empty folder with an empty node_modules', async () => {
    const { exitCode, stdout, stderr } = await write('--to', join(folder, 'out'));
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      /^Wrote weather 0\.1\.0 with 2 tools to .*out: \d+ files, \d+\.\d MB\.\nRun it: node .*server\.mjs\n/,
    );
    await speakWith(await elsewhere(join(folder, 'out')), [], async (client) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['now', 'fails']);
      const result = await client.callTool({ name: 'now', arguments: { place: 'Rome' } });
      expect(result.structuredContent).toEqual({ result: 'Rome (True): sunny for 1' });
      const failed = await client.callTool({ name: 'fails', arguments: {} });
      expect(failed.isError).toBe(true);
      expect(JSON.stringify(failed.content)).toContain('ValueError: always');
    });
  });

  it('works as a bundle that the official tool unpacked, under the strict profile where there is one', async () => {
    const bundle = join(folder, 'weather.mcpb');
    const { exitCode, stderr } = await write('--to', bundle, '--only', 'now');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Open it with Claude Desktop')]);
    const mcpb = join(root, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
    const unpacked = join(folder, 'unpacked');
    await run(process.execPath, [mcpb, 'unpack', bundle, unpacked]);
    await run(process.execPath, [mcpb, 'validate', join(unpacked, 'manifest.json')]);
    const words = ['--profile', 'strict', '--enforcement', 'best-effort'];
    await speakWith(join(unpacked, 'server.mjs'), words, async (client) => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['now']);
      const result = await client.callTool({ name: 'now', arguments: { place: 'Bern', days: 2 } });
      expect(result.structuredContent).toEqual({ result: 'Bern (False): sunny for 2' });
    });
  });

  it('serves the tools that are enabled in its tools.json, and a script that was edited', async () => {
    await write('--to', join(folder, 'edited'));
    const server = await elsewhere(join(folder, 'edited'));
    const file = join(server, '..', 'tools.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    for (const tool of manifest.tools) if (tool.name === 'fails') tool.enabled = false;
    await writeFile(file, JSON.stringify(manifest));
    const copy = join(server, '..', 'scripts', 'weather.py');
    await writeFile(copy, (await readFile(copy, 'utf8')).replace('{place} (', 'In {place} ('));
    await speakWith(server, [], async (client) => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['now']);
      const result = await client.callTool({ name: 'now', arguments: { place: 'Rome' } });
      expect(result.structuredContent).toEqual({ result: 'In Rome (True): sunny for 1' });
    });
  });

  it('serves command lines and modules of packages too', async () => {
    const work = join(folder, 'commands');
    await mkdir(join(work, 'kit'), { recursive: true });
    await writeFile(join(work, 'kit', '__init__.py'), 'from .words import greeting\n');
    await writeFile(join(work, 'kit', 'words.py'), 'greeting = "hello"\n');
    await writeFile(
      join(work, 'greet.py'),
      `import argparse
import kit

def main():
    parser = argparse.ArgumentParser(description="Greets.")
    parser.add_argument("name")
    parser.add_argument("--times", type=int, default=1)
    args = parser.parse_args()
    print(" ".join([kit.greeting, args.name] * args.times))

if __name__ == "__main__":
    main()
`,
    );
    const { exitCode } = await say(['export', work, '--to', join(folder, 'greet')], { environment });
    expect(exitCode).toBe(0);
    await speakWith(await elsewhere(join(folder, 'greet')), [], async (client) => {
      const { tools } = await client.listTools();
      const tool = tools.find(({ name }) => name === 'greet');
      expect(tool?.description).toContain('Greets.');
      const result = await client.callTool({ name: 'greet', arguments: { name: 'Ada', times: 2 } });
      expect(JSON.stringify(result.content)).toContain('hello Ada hello Ada');
    });
  });

  it('says what it is and what it takes, and refuses what it does not know', async () => {
    await write('--to', join(folder, 'named'), '--name', 'sky', '--bundle-version', '3.2.1');
    const server = join(folder, 'named', 'server.mjs');
    expect((await run(process.execPath, [server, '--version'])).stdout).toBe('3.2.1\n');
    const { stdout } = await run(process.execPath, [server, '--help']);
    expect(stdout).toContain('The MCP server sky');
    expect(stdout).toContain('--profile <trusted|strict>');
    const refused = run(process.execPath, [server, '--profil', 'strict']);
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean --profile?'),
    });
    const wrong = run(process.execPath, [server], { env: { ...environment, MCP_EXECUTION_PROFILE: 'nosuch' } });
    await expect(wrong).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('INVALID_SETTING') });
  });

  it('is not troubled by a client that fills in nothing of what a bundle asks', async () => {
    await write('--to', join(folder, 'unfilled'));
    const server = join(folder, 'unfilled', 'server.mjs');
    const { mcp_config } = JSON.parse(await readFile(join(folder, 'unfilled', 'manifest.json'), 'utf8')).server;
    const env = { ...environment, ...mcp_config.env };
    const ended = run(process.execPath, [server], { env });
    ended.child.stdin?.end();
    expect((await ended).stdout).toBe('');
  });

  it('prints one JSON object with --json', async () => {
    const { stdout } = await write('--to', join(folder, 'json'), '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'weather',
      kind: 'folder',
      tools: ['now', 'fails'],
      warnings: [],
    });
  });

  it.each([
    [['--to', 'TAKEN'], /INVALID_ARGUMENTS: --to: .*taken is not empty/],
    [['--to', 'OUT', '--only', 'nosuch'], /nosuch/],
    [['--to', 'OUT', '--include', 'nothing.csv'], /--include: nothing\.csv matches no file/],
    [['--to', 'OUT', '--name', '../x'], /--name/],
    [[], /required option '--to <path>' not specified/],
  ])('is refused with %j, exit code 2 and nothing written', async (words, message) => {
    await mkdir(join(folder, 'taken'), { recursive: true });
    await writeFile(join(folder, 'taken', 'mine.txt'), '');
    const places: Readonly<Record<string, string>> = { TAKEN: join(folder, 'taken'), OUT: join(folder, 'never') };
    const { exitCode, stderr, stdout } = await write(...words.map((word) => places[word] ?? word));
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(await readdir(folder)).not.toContain('never');
  });

  it('is refused for a script that does not parse', async () => {
    const broken = join(folder, 'broken.py');
    await writeFile(broken, 'def f(:\n');
    const { exitCode, stderr } = await say(['export', broken, '--to', join(folder, 'never')], { environment });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('SYNTAX_ERROR')]);
  });

  it('has help with an example', async () => {
    const { stdout } = await say(['export', '--help']);
    expect(stdout).toContain('$ mcp-exec export weather.py --to weather.mcpb');
  });
});

describe('the built command', () => {
  const bin = join(root, 'dist', 'bin', 'mcp-exec.js');

  it('writes a bundle, and a client is told of it', async () => {
    const words = ['export', script, '--to', join(folder, 'built.mcpb'), '--include', 'data', '--json'];
    const { stdout } = await run(process.execPath, [bin, ...words], { env: environment });
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'archive', tools: ['now', 'fails'] });
    for (const client of ['cursor', 'codex']) {
      const installed = await run(process.execPath, [bin, 'install', client, script, '--dry-run'], {
        env: environment,
      });
      expect(installed.stdout).toContain(JSON.stringify(script));
    }
  });
});
