import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJSONSchema } from 'zod';
import { settingNames } from '../../../src/config.js';
import { CallerError } from '../../../src/errors.js';
import { createKey } from '../../../src/gateway/access/keys.js';
import { parseGatewayConfig, readGatewayConfig } from '../../../src/gateway/config/read.js';
import { gatewayConfigSchema } from '../../../src/gateway/config/schema.js';
import { gatewaySettingsSchema } from '../../../src/gateway/settings.js';
import { createFolder } from '../../interpreter/scripts.js';

const file = '/etc/gateway/gateway.json';

describe('a config file', () => {
  it('says settings, services, keys and OAuth, with comments and commas at the end', () => {
    const { entry } = createKey({ name: 'ada', scopes: ['call', 'upload'] });
    const config = read(`{
      // where it listens
      "port": 9000, "cacheTools": ["a/*"],
      "settings": { "timeoutMs": 5000, "python": "venv/bin/python", "allowRead": ["data"] },
      "services": {
        "words": { "script": "scripts/words.py", "only": ["count"], "settings": { "isolation": "session" } },
        "many": { "script": ["a.py", "/b.py"], "name": "Many", "description": "Of two files." },
        "git": { "command": "uvx", "args": ["mcp-server-git"], "env": { "A": "b" }, "stateless": true, "maxProcesses": 3 },
        "far": { "url": "https://example.com/mcp", "headers": { "x": "y" } },
        "off": { "script": "c.py", "disabled": true }
      },
      "keys": [${JSON.stringify(entry)}],
      "oauth": { "issuer": "https://login.example.com" },
    }`);
    expect(config).toMatchObject({
      settings: { port: 9000, cacheTools: ['a/*'] },
      engine: { timeoutMs: 5000, python: '/etc/gateway/venv/bin/python', allowRead: ['/etc/gateway/data'] },
      keys: [entry],
      oauth: { issuer: 'https://login.example.com' },
    });
    expect(config.services).toEqual([
      {
        id: 'words',
        settings: { isolation: 'session' },
        source: { kind: 'script', targets: ['/etc/gateway/scripts/words.py'], only: ['count'] },
      },
      {
        id: 'many',
        name: 'Many',
        description: 'Of two files.',
        source: { kind: 'script', targets: ['/etc/gateway/a.py', '/b.py'] },
      },
      {
        id: 'git',
        source: {
          kind: 'command',
          command: 'uvx',
          args: ['mcp-server-git'],
          cwd: '/etc/gateway',
          env: { A: 'b' },
          stateless: true,
          maxProcesses: 3,
        },
      },
      { id: 'far', source: { kind: 'url', url: 'https://example.com/mcp', headers: { x: 'y' } } },
    ]);
  });

  it('says nothing of what it does not have, so that flags, variables and defaults can', () => {
    expect(read('{}')).toEqual({ settings: {}, engine: {}, services: [], keys: [] });
  });

  it('means paths from its own folder, and commands from the PATH', () => {
    const { settings, services } = read(`{
      "data": "data", "accessLog": "-",
      "services": { "a": { "command": "./server", "cwd": "work" }, "b": { "command": "node" } }
    }`);
    expect(settings).toEqual({ data: '/etc/gateway/data', accessLog: '-' });
    expect(services.map(({ source }) => source)).toMatchObject([
      { command: '/etc/gateway/server', cwd: '/etc/gateway/work' },
      { command: 'node', cwd: '/etc/gateway' },
    ]);
  });

  it.each<[string, string, number, number, RegExp]>([
    ['is broken', '{\n  "port": 80,,\n}', 2, 14, /property name expected/],
    ['is no object', '[]', 1, 1, /expected an object/],
    ['is empty', '', 1, 1, /expected an object|value expected/],
    ['has a wrong value', '{\n  "port": "http"\n}', 2, 3, /port: expected number/],
    ['has an unknown name', '{\n  "ports": 80\n}', 2, 3, /ports: there is nothing of this name; did you mean port\?/],
    ['has a name twice', '{\n  "port": 80,\n  "port": 81\n}', 3, 3, /"port" stands here twice/],
    [
      'has a setting of the engine at its top',
      '{ "timeoutMs": 5 }',
      1,
      3,
      /timeoutMs: .* setting of the engine: write it into "settings"/,
    ],
    [
      'has a setting of the gateway among those of the engine',
      '{ "settings": { "port": 5 } }',
      1,
      17,
      /settings\.port: .* setting of the gateway: write it outside/,
    ],
    [
      'has a setting of the engine that is wrong',
      '{ "settings": { "isolation": "none" } }',
      1,
      17,
      /settings\.isolation: expected one of/,
    ],
    [
      'has a service of no kind',
      '{ "services": {\n "a": { "name": "A" } } }',
      2,
      2,
      /services\.a: a service has one of script, command, url; this one has none of them/,
    ],
    [
      'has a service of two kinds',
      '{ "services": {\n "a": { "script": "a.py", "url": "https://a" } } }',
      2,
      2,
      /this one has script and url/,
    ],
    ['has a service that is no object', '{ "services": {\n "a": "a.py" } }', 2, 2, /services\.a: expected an object/],
    [
      'has an unknown name in a service',
      '{ "services": {\n "a": { "script": "a.py",\n "exclud": [] } } }',
      3,
      2,
      /services\.a\.exclud: .* did you mean exclude\?/,
    ],
    [
      'has a wrong value in a service',
      '{ "services": {\n "a": { "command": "x",\n "args": "--flag" } } }',
      3,
      2,
      /services\.a\.args: expected array/,
    ],
    ['has a service with a wrong id', '{ "services": {\n "a/b": { "script": "a.py" } } }', 2, 2, /expected letters/],
    ['has a key with a wrong hash', '{ "keys": [\n { "name": "a", "id": "a", "hash": "x" } ] }', 2, 28, /sha256/],
    ['has a key with an unknown name', '{ "keys": [\n { "nam": "a" } ] }', 2, 2, /keys\.0/],
    ['has an issuer that anybody could be', '{ "oauth": {\n "issuer": "http://example.com" } }', 2, 2, /https/],
    [
      'asks for a variable that is not set',
      '{ "services": {\n "a": { "url": "https://a",\n "headers": { "x": "#{NOT_SET}" } } } }',
      3,
      15,
      /services\.a\.headers\.x: the variable NOT_SET is not set; set it, or write \$\{NOT_SET:-a default\}/,
    ],
  ])('that %s is refused with the place and what to do', (_, text, line, column, reason) => {
    const error = refusalOf(() => read(text));
    expect(error.message).toMatch(reason);
    expect(error.message.startsWith(`${file}, line ${line}, column ${column}: `), error.message).toBe(true);
    expect(error.details).toMatchObject({ file, line, column });
  });

  it('shows no value of its own in an error', () => {
    const text = '{ "services": { "a": { "url": "https://a", "headers": { "x": "#{TOKEN}", "y": 5 } } } }';
    expect(refusalOf(() => read(text, { TOKEN: 'hidden' })).message).not.toContain('hidden');
  });

  it('that is not there, or is no text, is refused by name', async () => {
    const folder = await createFolder();
    const odd = join(folder, 'odd.json');
    await writeFile(odd, Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(readGatewayConfig(join(folder, 'none.json'), {})).rejects.toThrow(
      /none\.json cannot be read: there is no such file/,
    );
    await expect(readGatewayConfig(odd, {})).rejects.toThrow(/odd\.json cannot be read: it is not text in UTF-8/);
  });

  it('may begin with a byte order mark', async () => {
    const marked = join(await createFolder(), 'marked.json');
    await writeFile(marked, '\uFEFF{ "port": 1 }');
    expect((await readGatewayConfig(marked, {})).settings).toEqual({ port: 1 });
  });

  it('is either read or refused with a place, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.constant('{" ":""}')), (text) => {
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(CallerError);
          expect(String(error)).toMatch(/line \d+, column \d+: \S/);
        }
      }),
    );
  });
});

describe('a variable in a config file', () => {
  it.each([
    ['#{A}', 'one'],
    ['x#{A}y#{A}', 'xoneyone'],
    ['#{A:-two}', 'one'],
    ['#{B:-two}', 'two'],
    ['#{EMPTY:-two}', 'two'],
    ['#{EMPTY}', ''],
    ['#{B:-}', ''],
    ['$#{A}', '#{A}'],
    ['$A and #{ A }', '$A and #{ A }'],
  ])('%j becomes %j', (written, become) => {
    const [text, expected] = [withDollars(written), withDollars(become)];
    const config = read(
      JSON.stringify({
        services: { a: { command: 'x', args: [text], env: { V: text } }, b: { script: `s${text}.py` } },
      }),
      { A: 'one', EMPTY: '' },
    );
    expect(config.services[0]?.source).toMatchObject({ args: [expected], env: { V: expected } });
    expect(config.services[1]?.source).toMatchObject({ targets: [`/etc/gateway/s${expected}.py`] });
  });
});

describe('the schema for editors', () => {
  const schema = toJSONSchema(gatewayConfigSchema, { io: 'input', unrepresentable: 'any' });

  it('describes every setting with its default', () => {
    const { properties = {} } = schema;
    for (const [name, field] of Object.entries(gatewaySettingsSchema.shape)) {
      expect(properties[name], name).toMatchObject({ description: field.description });
    }
    expect(properties.port).toMatchObject({ default: 8080 });
    const engine = JSON.stringify(properties.settings);
    for (const name of settingNames) expect(engine).toContain(`"${name}":`);
  });

  it('asks for nothing', () => {
    expect(schema.required ?? []).toEqual([]);
  });
});

function read(text: string, environment: NodeJS.ProcessEnv = {}) {
  return parseGatewayConfig(withDollars(text), file, environment);
}

/** Written with # here, because such texts look like templates that lack their quotes. */
function withDollars(text: string): string {
  return text.replaceAll('#{', '${');
}

function refusalOf(work: () => unknown): CallerError {
  try {
    work();
  } catch (error) {
    if (error instanceof CallerError && error.code === 'INVALID_CONFIG') return error;
    throw error;
  }
  throw new Error('it was not refused');
}
