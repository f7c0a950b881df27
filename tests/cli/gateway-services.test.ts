import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refuseClashes, servicesOf } from '../../src/cli/gateway-services.js';
import { createLog } from '../../src/log.js';
import { createFolder } from '../interpreter/scripts.js';

const tool = 'def count(text: str) -> int:\n    """Counts."""\n    return len(text)\n';

describe('the services of a command line', () => {
  it('are the scripts, by the names of their files', async () => {
    const folder = await write({ 'word_count.py': tool, 'odd näme.v2.py': tool, '_private.py': tool });
    const services = await find(['word_count.py', 'odd näme.v2.py', '_private.py'].map((name) => join(folder, name)));
    expect(services).toEqual([
      { id: 'word_count', source: { kind: 'script', targets: [join(folder, 'word_count.py')] } },
      { id: 'odd_n_me.v2', source: { kind: 'script', targets: [join(folder, 'odd näme.v2.py')] } },
      { id: 'private', source: { kind: 'script', targets: [join(folder, '_private.py')] } },
    ]);
  });

  it('are the scripts of a folder that have a tool; what cannot be read is told of', async () => {
    const folder = await write({
      'a.py': tool,
      'deep/b.py': tool,
      'constants.py': 'X = 1\n',
      'broken.py': 'def broken(:\n',
    });
    const logged: string[] = [];
    const services = await find([folder], [], [], logged);
    expect(services.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(logged.join('')).toMatch(/a script is not served.*broken\.py.*SYNTAX_ERROR/);
  });

  it('are manifests by their names, or by that of their folder', async () => {
    const folder = await write({ 'shop/tools.json': '{}', 'report.json': '{}' });
    const services = await find([join(folder, 'shop/tools.json'), join(folder, 'report.json')]);
    expect(services.map(({ id }) => id)).toEqual(['shop', 'report']);
  });

  it('are the same once, by whatever ways they were named', async () => {
    const folder = await write({ 'a.py': tool });
    expect(await find([folder, join(folder, 'a.py'), join(folder, '.', 'a.py')])).toHaveLength(1);
  });

  it('are other MCP servers, by command and by address', async () => {
    const services = await find([], [`git=uvx mcp-server-git --repo 'a b'`], ['far=https://example.com/mcp?a=b']);
    expect(services).toEqual([
      {
        id: 'git',
        source: { kind: 'command', command: 'uvx', args: ['mcp-server-git', '--repo', 'a b'], cwd: process.cwd() },
      },
      { id: 'far', source: { kind: 'url', url: 'https://example.com/mcp?a=b' } },
    ]);
  });

  it.each([
    [['uvx'], [], /--command: "uvx" is not of the form 'git=uvx mcp-server-git'/],
    [['a b=uvx'], [], /--command: "a b" is no id/],
    [['git='], [], /--command: "git=" has no command/],
    [[], ['far=example.com'], /--url: "example.com" is no address/],
    [[], ['far=ftp://example.com'], /is no address that begins with http/],
    [[], ['far=https://me:secret@example.com'], /^--url: an address holds no credentials: name the server in a config/],
    [[], ['https://example.com'], /--url: "https:\/\/example.com" is not of the form/],
  ])('are refused for the commands %j and addresses %j', async (commands, urls, message) => {
    await expect(find([], commands, urls)).rejects.toThrow(message);
  });

  it('are refused where two have one id, with what to do', async () => {
    const folder = await write({ 'one/report.py': tool, 'two/report.py': tool });
    const error = await find([folder]).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/Two services have the id report: .*one\/report\.py and .*two\/report\.py/);
    expect(String(error)).toMatch(/another id in a config file: \{ "services": \{ "ANOTHER-ID"/);
    const definition = { id: 'a', source: { kind: 'url', url: 'https://a' } } as const;
    expect(() => refuseClashes([definition, definition])).toThrow(/Two services have the id a/);
  });

  it('are refused where nothing is, with the name that was meant', async () => {
    const folder = await write({ 'report.py': tool });
    await expect(find([join(folder, 'reprot.py')])).rejects.toThrow(/There is no file .*did you mean .*report\.py/);
    await expect(find([await write({ 'x.py': 'X = 1\n' })])).rejects.toThrow(/has a tool; mcp-exec discover --explain/);
  });
});

async function write(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await createFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

function find(
  targets: readonly string[],
  commands: readonly string[] = [],
  urls: readonly string[] = [],
  logged: string[] = [],
) {
  const log = createLog({ level: 'debug', write: (line) => logged.push(line) });
  return servicesOf(
    { targets, commands, urls },
    { environment: process.env, signal: new AbortController().signal, log },
  );
}
