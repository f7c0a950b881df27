import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMcpConfig } from '../../../src/client/config/config.js';
import { CallerError } from '../../../src/errors.js';
import { createFolder } from '../../interpreter/scripts.js';
import { machine, withDollars } from './reading.js';

const options = { environment: {}, machine };

const manyServers = JSON.stringify({ mcpServers: { ...Array.from({ length: 1001 }, () => ({ command: 'x' })) } });

describe('a file of servers', () => {
  it.each<[string, string, string, RegExp]>([
    ['is broken', 'c.json', '{\n  "mcpServers": {,}\n}', /c\.json, line 2, column 18: value expected/],
    ['is empty', 'c.json', '', /c\.json, line 1, column 1: /],
    ['is a list', 'c.json', '[]', /line 1, column 1: expected an object/],
    [
      'names no server',
      'c.json',
      '{ "theme": 1 }',
      /line 1, column 1: it names no MCP server; expected "mcpServers": \{ … \}$/,
    ],
    ['misspells where they are', 'c.json', '{ "mcpServer": {} }', /; did you mean mcpServers by mcpServer\?/],
    ['has them at its top', 'c.json', '{ "a": { "command": "x" } }', /write \{ "mcpServers": \{ … \} \} around them/],
    [
      'has a list of them',
      'c.json',
      '{\n"mcpServers": [] }',
      /line 2, column 1: mcpServers: expected an object with a server/,
    ],
    ['is broken TOML', 'c.toml', 'a = 1\n[mcp_servers.x\n', /c\.toml, line 2, column \d+: /],
    [
      'is TOML without servers',
      'c.toml',
      'a = 1\n[mcpServers.x]\n',
      /expected \[mcp_servers\.NAME\]; did you mean mcp_servers by mcpServers\?/,
    ],
    ['names too many', 'c.json', manyServers, /it names more than 1000 servers/],
    ['is nested without end', 'c.json', `{"a":${'['.repeat(100_000)}`, /c\.json, line 1, column/],
  ])('that %s is refused with the place', async (_, name, text, reason) => {
    const file = join(await createFolder(), name);
    await writeFile(file, text);
    const reading = readMcpConfig([file], options);
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_CONFIG', details: { file } });
    await expect(reading).rejects.toThrow(reason);
  });

  it('that is a folder, or not there, or no text is refused by name', async () => {
    const folder = await createFolder();
    await expect(readMcpConfig([folder], options)).rejects.toThrow(/it is a folder; name a file in it$/);
    await writeFile(join(folder, '.mcp.json'), '{}');
    await expect(readMcpConfig([folder], options)).rejects.toThrow(`did you mean ${join(folder, '.mcp.json')}?`);
    await expect(readMcpConfig([join(folder, 'none.json')], options)).rejects.toThrow(
      /none\.json cannot be read: there is/,
    );
    await writeFile(join(folder, 'odd.json'), Buffer.from([0x7b, 0xff]));
    await expect(readMcpConfig([join(folder, 'odd.json')], options)).rejects.toThrow(/it is not text in UTF-8/);
    await expect(readMcpConfig(['/dev/zero'], options)).rejects.toThrow(/more than \d+ bytes/);
  });

  it('is harmed by a wrong entry in that entry alone, which says where it stands', async () => {
    const file = await write(`{
      // one is wrong
      "mcpServers": {
        "bad": { "command": "x",
          "env": { "TOKEN": "\${GONE}" } },
        "good": { "command": "x" },
      },
    }`);
    const { entries } = await readMcpConfig([file], options);
    expect(entries.map(({ name, problem }) => [name, problem === undefined])).toEqual([
      ['bad', false],
      ['good', true],
    ]);
    expect(entries[0]?.problem?.message).toBe(
      `${file}, line 5, column 20: mcpServers.bad.env.TOKEN: the variable GONE is not set; ` +
        `set it, or write \${GONE:-a default}`,
    );
    expect(entries[0]?.problem?.details).toMatchObject({ file, line: 5, column: 20 });
  });

  it.each<[string, string, RegExp]>([
    ['no name', '', /a server needs a name/],
    ['a long name', 'x'.repeat(201), /more than 200 characters/],
    ['a name of two lines', 'a\nb', /a character that cannot be shown/],
    ['a name that turns the writing round', 'a\u202eb', /a character that cannot be shown/],
  ])('may have a server of %s, which is a problem and stays one word', async (_, name, reason) => {
    const { entries } = await readMcpConfig([{ mcpServers: { [name]: { command: 'x' } } }], options);
    expect(entries[0]?.problem?.message).toMatch(reason);
    expect(`${entries[0]?.name}${entries[0]?.problem?.message}`).not.toMatch(/[\n\u202e]/);
  });

  it.each(['git hub', 'a/b', 'ünï', '__proto__', 'constructor', 'a"b'])('may have a server named %s', async (name) => {
    const file = await write(`{ "mcpServers": { ${JSON.stringify(name)}: { "command": "x" } } }`);
    const { entries } = await readMcpConfig([file], options);
    expect(entries).toMatchObject([{ name, target: { command: 'x' } }]);
  });

  it('that names a server twice has a note, and the last counts', async () => {
    const file = await write('{ "x": 1, "x": 2, "mcpServers": { "a": { "command": "b" }, "a": { "command": "c" } } }');
    const { entries, notes } = await readMcpConfig([file], options);
    expect(entries).toMatchObject([{ target: { command: 'c' } }]);
    expect(notes).toEqual([`${file}, line 1, column 60: "a" stands here twice; the last counts`]);
  });

  it('is either read or refused, whatever stands in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        const mcpServers: unknown = JSON.parse(text);
        const source = { mcpServers: Object(mcpServers) };
        const { entries } = await readMcpConfig([source], options).catch((error: unknown) => {
          expect(error).toBeInstanceOf(CallerError);
          return { entries: [] };
        });
        for (const { target, problem, disabled } of entries) {
          expect([target !== undefined, problem !== undefined, disabled].filter(Boolean)).toHaveLength(1);
        }
      }),
    );
  });
});

describe('several files', () => {
  it('give each server once: the first that names it counts, and the other is noted', async () => {
    const one = await write('{ "mcpServers": { "a": { "command": "one" }, "b": { "command": "one" } } }');
    const two = await write('{ "servers": { "b": { "command": "two" }, "c": { "command": "two" } } }');
    const { entries, files, notes } = await readMcpConfig([one, two, one], options);
    expect(entries.map(({ name, target }) => [name, target?.kind === 'command' && target.command])).toEqual([
      ['a', 'one'],
      ['b', 'one'],
      ['c', 'two'],
    ]);
    expect(files).toEqual([one, two]);
    expect(notes).toEqual([`${two}: the server b is passed over, because ${one} has one already`]);
  });
});

describe('the config of a folder', () => {
  const text = '{ "mcpServers": { "a": { "command": "x" } } }';

  it('is the first that there is, where none is named', async () => {
    const cwd = await createFolder();
    await mkdir(join(cwd, '.vscode'));
    await writeFile(join(cwd, '.vscode', 'mcp.json'), text);
    const read = async () => (await readMcpConfig([], { ...options, cwd })).files;
    expect(await read()).toEqual([join(cwd, '.vscode', 'mcp.json')]);
    await writeFile(join(cwd, 'mcp_config.json'), text);
    expect(await read()).toEqual([join(cwd, 'mcp_config.json')]);
    await writeFile(join(cwd, '.mcp.json'), text);
    expect(await read()).toEqual([join(cwd, '.mcp.json')]);
  });

  it('that is not there is an error that says what was looked for, and what to write', async () => {
    const cwd = await createFolder();
    const error = await readMcpConfig([], { ...options, cwd }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof CallerError)) throw new Error('it was not refused');
    expect(error.message).toContain('looked for .mcp.json, mcp_config.json, .cursor/mcp.json, .vscode/mcp.json');
    const [smallest = ''] = /\{ "mcpServers".*$/.exec(error.message) ?? [];
    const { entries } = await readMcpConfig([JSON.parse(smallest)], { ...options, cwd });
    expect(entries).toMatchObject([{ name: 'files', target: { command: 'npx' } }]);
  });
});

describe('what is secret', () => {
  it('is known of an entry: variables, headers, inputs, and what flags and addresses say', async () => {
    const mcpServers = withDollars({
      command: {
        command: 'x',
        args: ['--api-key', 'key-in-args', '--token=token-in-args', '#{MY_SECRET}', '#{PLACE}', '#{input:one}'],
        env: { ANY: 'value-of-env', SHORT: '1' },
      },
      remote: { url: 'https://a.example/?token=token-in-url&page=another', headers: { A: 'Bearer in-a-header' } },
    });
    const environment = { MY_SECRET: 'from-a-variable', PLACE: 'a-known-place' };
    const { entries } = await readMcpConfig([{ mcpServers }], {
      ...options,
      environment,
      inputs: { one: 'value-of-input' },
    });
    expect(entries.map(({ secrets }) => [...secrets].sort())).toEqual([
      ['from-a-variable', 'key-in-args', 'token-in-args', 'value-of-env', 'value-of-input'],
      ['Bearer in-a-header', 'in-a-header', 'token-in-url'],
    ]);
  });

  it('never stands in an error or a note', async () => {
    const secret = 'hidden-4711';
    const wrong = fc.constantFrom<unknown>([secret], { a: [secret] }, `${secret}\n`, `${secret}\0`, `x "${secret}`, 5);
    const field = fc.constantFrom('command', 'args', 'env', 'url', 'headers', 'type', 'cwd', 'oauth', 'disabled');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(field, wrong), fc.boolean(), async (entry, isRemote) => {
        const rest = isRemote ? { url: `https://u:${secret}@x` } : { command: 'x', env: { A: secret, B: [secret] } };
        const { entries, notes } = await readMcpConfig([{ mcpServers: { a: { ...rest, ...entry } } }], options);
        expect(JSON.stringify([entries.map(({ problem }) => problem?.message), notes])).not.toContain(secret);
      }),
    );
  });
});

async function write(text: string): Promise<string> {
  const file = join(await createFolder(), 'servers.json');
  await writeFile(file, text);
  return file;
}
