import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder, writeExecutable } from '../../interpreter/scripts.js';
import { readEntry, withDollars } from './reading.js';

describe('a command', () => {
  it.each<[string, object, object]>([
    ['of one word', { command: 'server' }, { command: 'server', args: [] }],
    ['with arguments', { command: 'a b', args: ['c d'] }, { command: 'a b', args: ['c d'] }],
    ['with no arguments', { command: 'a b', args: [] }, { command: 'a b', args: [] }],
    ['in one text', { command: 'npx -y "a b" c' }, { command: 'npx', args: ['-y', 'a b', 'c'] }],
    ['as a list', { command: ['npx', '-y'], args: ['c'] }, { command: 'npx', args: ['-y', 'c'] }],
    ['with numbers', { command: 'x', args: [5, true, 1.5] }, { args: ['5', 'true', '1.5'] }],
    ['beside the config', { command: './server' }, { command: '/srv/server' }],
    ['at home', { command: '~/bin/server' }, { command: '/home/ada/bin/server' }],
    ['that is said to be one', { type: 'stdio', command: 'x' }, { command: 'x' }],
    ['with what others do not know', { command: 'x', autoApprove: [], tools: ['*'] }, { command: 'x' }],
    ['without its other fields', { command: 'x', args: null, env: null, url: null }, { command: 'x', args: [] }],
  ])('%s is understood', async (_, entry, target) => {
    const read = await readEntry(entry);
    expect(read.problem).toBeUndefined();
    expect(read.target).toMatchObject({ kind: 'command', cwd: '/srv', ...target });
  });

  it('whose very name is a file is not split', async () => {
    const cwd = await createFolder();
    const file = await writeExecutable(join(cwd, 'my server'));
    expect((await readEntry({ command: file }, { cwd })).target).toMatchObject({ command: file, args: [] });
    expect((await readEntry({ command: `${file} x` }, { cwd })).target).toMatchObject({ args: ['server', 'x'] });
  });

  it('in one text keeps a value in one word, whatever is in it', async () => {
    const entry = withDollars({ command: 'server --name #{NAME}' });
    const { target } = await readEntry(entry, { environment: { NAME: `a b "c` } });
    expect(target).toMatchObject({ command: 'server', args: ['--name', `a b "c`] });
  });

  it('is started in the folder that it names', async () => {
    const cwd = await createFolder();
    await mkdir(join(cwd, 'work'));
    const { target } = await readEntry({ command: './x', cwd: 'work' }, { cwd });
    expect(target).toMatchObject({ command: join(cwd, 'work', 'x'), cwd: join(cwd, 'work') });
  });

  it('gets the variables of a file, which those of the entry come before', async () => {
    const cwd = await createFolder();
    await writeFile(join(cwd, '.env'), 'A=1\nB="two words"\n');
    const { target } = await readEntry({ command: 'x', envFile: '.env', env: { A: '2' } }, { cwd });
    expect(target).toMatchObject({ env: { A: '2', B: 'two words' } });
  });
});

describe('an address', () => {
  it.each([
    { url: 'https://a.example/mcp' },
    { serverUrl: 'https://a.example/mcp' },
    { baseUrl: 'https://a.example/mcp' },
    { httpUrl: 'https://a.example/mcp' },
    { type: 'http', url: 'https://a.example/mcp' },
    { type: 'streamable-http', url: 'https://a.example/mcp' },
    { type: 'streamableHttp', url: 'https://a.example/mcp' },
    { type: 'sse', url: 'https://a.example/mcp' },
    { transport: 'sse', url: 'https://a.example/mcp' },
  ])('%j is understood', async (entry) => {
    expect((await readEntry(entry)).target).toEqual({ kind: 'url', url: 'https://a.example/mcp' });
  });

  it('keeps the Authorization that its headers name', async () => {
    const entry = { url: 'https://a.example', headers: { authorization: 'Basic x' }, bearer_token_env_var: 'TOKEN' };
    const { target } = await readEntry(entry, { environment: { TOKEN: 'y' } });
    expect(target).toMatchObject({ headers: { authorization: 'Basic x' } });
  });
});

describe('a reference', () => {
  const environment = { WORD: 'word', MCP_INPUT_MY_KEY: 'from the variable' };

  it('is replaced in every field', async () => {
    const command = { command: '#{WORD}', args: ['#{env:WORD}'], env: { A: '#{WORD}' }, cwd: '#{NOT:-/}' };
    expect((await readEntry(withDollars(command), { environment })).target).toEqual({
      kind: 'command',
      command: 'word',
      args: ['word'],
      env: { A: 'word' },
      cwd: '/',
    });
    const remote = {
      type: '#{NOT:-http}',
      url: 'https://#{WORD}.example',
      headers: { A: '#{WORD} #{workspaceFolder}' },
    };
    expect((await readEntry(withDollars(remote), { environment })).target).toEqual({
      kind: 'url',
      url: 'https://word.example',
      headers: { A: 'word /srv' },
    });
  });

  it('to an input is answered by what was given, or by a variable', async () => {
    const entry = withDollars({ command: 'x', args: ['#{input:my-key}'] });
    const given = { environment, inputs: { 'my-key': 'given' } };
    expect((await readEntry(entry, given)).target).toMatchObject({ args: ['given'] });
    expect((await readEntry(entry, { environment })).target).toMatchObject({ args: ['from the variable'] });
    expect((await readEntry(entry)).problem?.message).toBe(
      'the config given: mcpServers.it.args.0: the input my-key has no value; ' +
        'set the variable MCP_INPUT_MY_KEY, or give the input a default',
    );
  });
});

describe('an entry', () => {
  it.each<[string, unknown, RegExp]>([
    ['is no object', 'npx server', /mcpServers\.it: expected an object/],
    ['is empty', {}, /it has neither command nor url; write the program to start/],
    ['misspells its command', { comand: 'x' }, /neither command nor url; did you mean command by comand\?/],
    ['misspells its address', { uri: 'https://a' }, /did you mean url by uri\?/],
    ['has both', { command: 'x', serverUrl: 'https://a' }, /it has command and serverUrl; a server has one/],
    [
      'is of a type that has an address',
      { type: 'http', command: 'x' },
      /it\.type: .* an address, as url; this one has command/,
    ],
    [
      'is of a type that has a program',
      { type: 'stdio', url: 'https://a' },
      /it\.type: .* as command; this one has url/,
    ],
    ['is of an unknown type', { type: 'htttp', url: 'https://a' }, /it\.type: known are .*; did you mean http\?/],
    ['has an empty command', { command: ' ' }, /it\.command: it is empty/],
    ['has an empty list for a command', { command: [] }, /it\.command: it is empty/],
    ['has a number for a command', { command: 5 }, /it\.command: expected a text/],
    ['has a quote that is not closed', { command: 'x "y' }, /it\.command: a quote in it is not closed/],
    ['has a text for arguments', { command: 'x', args: '--flag' }, /it\.args: expected a list/],
    ['has an object for an argument', { command: 'x', args: [{}] }, /it\.args\.0: expected a text/],
    ['has a zero character', { command: 'x', args: ['a\0b'] }, /it\.args\.0: a text holds no zero/],
    ['has an endless text', { command: 'x', args: ['a'.repeat(70_000)] }, /it\.args\.0: it is longer than 65536/],
    ['has a list of variables', { command: 'x', env: ['A=b'] }, /it\.env: expected an object/],
    ['has a list as a variable', { command: 'x', env: { A: [] } }, /it\.env\.A: expected a text/],
    [
      'has a number too large for one',
      { command: 'x', env: { A: 2 ** 60 } },
      /it\.env\.A: a number this large needs quotes/,
    ],
    [
      'has a variable without a name',
      { command: 'x', env: { 'A=B': 'c' } },
      /it\.env\.A=B: this is no name of a variable/,
    ],
    ['has a folder that is not there', { command: 'x', cwd: '/nowhere/at/all' }, /it\.cwd: there is no such folder/],
    [
      'has a file of variables that is not there',
      { command: 'x', envFile: 'no.env' },
      /it\.envFile: \/srv\/no\.env cannot be read/,
    ],
    ['has no address in its address', { url: 'a.example' }, /it\.url: expected an address that begins with http/],
    ['has an address of another kind', { url: 'file:///etc/passwd' }, /it\.url: expected an address/],
    [
      'has a name and password in its address',
      { url: 'https://me:pw@a.example' },
      /it\.url: an address holds no credentials/,
    ],
    [
      'has a header with a line end',
      { url: 'https://a', headers: { A: 'x\ny' } },
      /it\.headers\.A: its value has a character/,
    ],
    ['has a header without a name', { url: 'https://a', headers: { 'a b': 'x' } }, /it\.headers\.a b: this is no name/],
    ['is neither on nor off', { command: 'x', disabled: 'yes' }, /it\.disabled: expected true or false/],
    [
      'has a time of no length',
      { command: 'x', startup_timeout_sec: 0 },
      /startup_timeout_sec: expected a number above 0/,
    ],
    [
      'asks for a variable that is not set',
      { command: 'x', env: { A: '#{GONE}' } },
      /it\.env\.A: the variable GONE is not set; set it, or write \$\{GONE:-a default\}/,
    ],
    [
      'asks for what only an editor knows',
      { command: 'x', args: ['#{config:a.b}'] },
      /\$\{config:a\.b\} is known to the editor alone/,
    ],
  ])('that %s is a problem of its own', async (_, entry, reason) => {
    const read = await readEntry(withDollars(entry));
    expect(read.problem?.message).toMatch(reason);
    expect(read.problem?.code).toBe('INVALID_CONFIG');
    expect(read.target).toBeUndefined();
  });

  it.each([{ disabled: true }, { enabled: false }])('that says %j is not looked at further', async (off) => {
    const read = await readEntry(withDollars({ ...off, command: '#{GONE}' }));
    expect(read).toEqual({ name: 'it', origin: 'the config given', disabled: true, secrets: [] });
  });
});
