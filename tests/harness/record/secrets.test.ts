import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandVariables } from '../../../src/configfile/expand.js';
import { literal } from '../../../src/harness/record/literals.js';
import { createSecrets } from '../../../src/harness/record/secrets.js';
import { type ServerInput, withoutServerSecrets } from '../../../src/harness/record/server-secrets.js';
import { fillValues } from '../../../src/harness/suite/values.js';
import type { JsonValue } from '../../../src/toolbox.js';

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ';

function unset(_path: unknown, name: string): never {
  throw new Error(`${name} is not set`);
}

function read(value: JsonValue, environment: NodeJS.ProcessEnv = {}): JsonValue {
  return fillValues(expandVariables(value, environment, unset) as JsonValue, {});
}

describe('a literal value', () => {
  it('is read as itself, whatever its texts hold', () => {
    const odd = fc.string({ unit: fc.constantFrom('$', '{', '}', '\\', ' ', 'a', ':', '-', `$\${`, '{{', `\${A:-b}`) });
    fc.assert(
      fc.property(fc.oneof(odd, fc.jsonValue(), fc.array(odd), fc.dictionary(fc.string(), odd)), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(read(literal(plain))).toEqual(plain);
      }),
    );
  });
});

describe('secrets in a suite', () => {
  it('become variables by the names that they have, and are read as themselves', () => {
    const secrets = createSecrets({});
    const written = secrets.inValue(
      { user: 'ann', api_key: 'abc-1234', nested: { dbPassword: [`x\${y}`] } },
      'the call',
    );
    expect(written).toEqual({ user: 'ann', api_key: `\${API_KEY}`, nested: { dbPassword: [`\${DB_PASSWORD}`] } });
    expect(secrets.variables).toEqual([
      { name: 'API_KEY', where: 'the call', isSet: false },
      { name: 'DB_PASSWORD', where: 'the call', isSet: false },
    ]);
    expect(read(written, { API_KEY: 'abc-1234', DB_PASSWORD: `x\${y}` })).toMatchObject({ api_key: 'abc-1234' });
  });

  it('become variables by their shape', () => {
    const secrets = createSecrets({});
    expect(secrets.inValue({ text: `use ${token}` }, 'the call')).toEqual({ text: `\${TEXT}` });
    expect(secrets.isIn(`it is ${token}`)).toBe(true);
    expect(secrets.isIn('it is nothing')).toBe(false);
  });

  it('are the same variable wherever they stand afterwards', () => {
    const secrets = createSecrets({});
    secrets.inValue({ password: 'open sesame' }, 'the call');
    expect(secrets.inValue('you said {{open sesame}}, open sesame', 'it')).toBe(
      `you said \\{{\${PASSWORD}}}, \${PASSWORD}`,
    );
    expect(secrets.variables).toHaveLength(1);
  });

  it('take the variable that the environment has for them, and no name that it has for something else', () => {
    const secrets = createSecrets({ GITHUB_TOKEN: token, PASSWORD: 'another' });
    expect(secrets.inValue({ token, password: 'open sesame' }, 'the call')).toEqual({
      token: `\${GITHUB_TOKEN}`,
      password: `\${PASSWORD_2}`,
    });
    expect(secrets.variables.map(({ isSet }) => isSet)).toEqual([true, false]);
  });

  it('have one variable each, however short they are, and are hidden from people', () => {
    const secrets = createSecrets({ LINES: '12' });
    expect(secrets.inValue([{ pin_token: '12' }, { pin_token: '12' }], 'it')).toEqual([
      { pin_token: `\${PIN_TOKEN}` },
      { pin_token: `\${PIN_TOKEN}` },
    ]);
    secrets.inValue({ password: 'open sesame' }, 'it');
    expect(secrets.hidden(`12 is not open sesame, nor ${token}`)).toBe('12 is not [PASSWORD], nor [redacted token]');
  });

  it.each([
    ['base64', (secret: string) => Buffer.from(secret).toString('base64')],
    ['base64 with something before it', (secret: string) => Buffer.from(`ann:${secret}`).toString('base64')],
    ['base64 within something', (secret: string) => Buffer.from(`id=${secret}, and more`).toString('base64url')],
    ['an address', (secret: string) => `https://a.example/?q=${encodeURIComponent(secret)}`],
    ['JSON', (secret: string) => JSON.stringify({ said: secret })],
    ['hex', (secret: string) => Buffer.from(secret).toString('hex')],
  ])('are known in %s', (_form, encode) => {
    const secrets = createSecrets({});
    secrets.inValue({ password: 'open "sesame"/ä?' }, 'the call');
    const told = `it is ${encode('open "sesame"/ä?')}`;
    expect(secrets.isIn(told)).toBe(true);
    expect(secrets.hidden(told)).toContain('[PASSWORD]');
    expect(secrets.inValue({ note: told }, 'the call')).toEqual({ note: `\${NOTE}` });
    expect(secrets.isIn(`it is ${encode('open the "gates"/ö?')}`)).toBe(false);
  });

  it('are not told by the places where they were found', () => {
    const secrets = createSecrets({});
    const address = 'https://a.example/notes?token=abcdef12';
    expect(secrets.inText(address, `the input of ${address}`)).toBe(`\${SECRET}`);
    expect(secrets.variables).toEqual([{ name: 'SECRET', where: 'the input of [SECRET]', isSet: false }]);
  });

  it('are what is taken from the environment by name, too', () => {
    const environment = { CITY: 'Lisbon', PIN: '12' };
    const secrets = createSecrets(environment, ['CITY', 'PIN']);
    const server = { command: 'npx', env: { ...environment, MODE: 'Lisbon mode' } };
    expect(withoutServerSecrets(server, secrets, ['CITY', 'PIN'])).toEqual({
      command: 'npx',
      env: { CITY: `\${CITY}`, PIN: `\${PIN}`, MODE: `\${CITY} mode` },
    });
    expect(secrets.isIn('the weather of Lisbon')).toBe(true);
  });

  it.each<[string, ServerInput, ServerInput]>([
    [
      'headers',
      { url: 'https://a.example/mcp', headers: { Authorization: `Bearer ${token}`, 'Accept-Language': 'de' } },
      { url: 'https://a.example/mcp', headers: { Authorization: `Bearer \${AUTHORIZATION}`, 'Accept-Language': 'de' } },
    ],
    [
      'addresses',
      { url: 'https://a.example/mcp?team=x&api_key=abc123&q=1' },
      { url: `https://a.example/mcp?team=x&api_key=\${API_KEY}&q=1` },
    ],
    [
      'flags',
      { command: 'npx', args: ['server', '--token', 'abcdef', `--api-key=abc\${`, '--root', '/a', '--verbose'] },
      {
        command: 'npx',
        args: ['server', '--token', `\${TOKEN}`, `--api-key=\${API_KEY}`, '--root', '/a', '--verbose'],
      },
    ],
    [
      'headers in arguments',
      { command: 'npx', args: ['--header', `Authorization: Bearer ${token}`] },
      { command: 'npx', args: ['--header', `Authorization: Bearer \${AUTHORIZATION}`] },
    ],
    [
      'assignments in arguments',
      {
        command: 'docker',
        args: ['run', '-e', 'API_KEY=tok12345', '-eDB_PASSWORD=hunter2', '--env=MY_TOKEN=abcdef', '-e', 'LOG=1', 'img'],
      },
      {
        command: 'docker',
        args: [
          ...['run', '-e', `API_KEY=\${API_KEY}`, `-eDB_PASSWORD=\${DB_PASSWORD}`, `--env=MY_TOKEN=\${MY_TOKEN}`],
          ...['-e', 'LOG=1', 'img'],
        ],
      },
    ],
    [
      'assignments that have the shape of one',
      { command: 'env', args: [`GITHUB_TOKEN=${token}`, `OTHER=ghp_${'x1'.repeat(15)}`, 'node'] },
      { command: 'env', args: [`GITHUB_TOKEN=\${GITHUB_TOKEN}`, `OTHER=\${OTHER_TOKEN}`, 'node'] },
    ],
    [
      'lines for a shell',
      {
        command: 'sh',
        args: ['-c', `A_TOKEN="abc def" B_TOKEN=$B exec server --password 'secret1' --token $T "\${x}"`],
      },
      {
        command: 'sh',
        args: ['-c', `A_TOKEN="\${A_TOKEN}" B_TOKEN=$B exec server --password '\${PASSWORD}' --token $T "$\${x}"`],
      },
    ],
    [
      'passwords of addresses, settings in JSON and connection strings',
      {
        command: 'server',
        args: [
          '--db',
          'postgres://ann:hunter22@db/x',
          '--config',
          '{"apiKey":"abcdef","n":1}',
          'host=a password=zzzzzz',
        ],
      },
      {
        command: 'server',
        args: [
          ...['--db', `postgres://ann:\${PASSWORD}@db/x`, '--config', `{"apiKey":"\${API_KEY}","n":1}`],
          `host=a password=\${PASSWORD_2}`,
        ],
      },
    ],
    [
      'the environment',
      { command: 'npx', env: { API_TOKEN: 'abcdef', MODE: `\${x}` } },
      { command: 'npx', env: { API_TOKEN: `\${API_TOKEN}`, MODE: `$\${x}` } },
    ],
    [
      'the address and the headers',
      { command: 'npx', url: 'http://localhost/mcp?token=abcdef', headers: { Authorization: 'Bearer ghijkl' } },
      {
        command: 'npx',
        url: `http://localhost/mcp?token=\${TOKEN}`,
        headers: { Authorization: `Bearer \${AUTHORIZATION}` },
      },
    ],
  ])('are taken out of %s of a server', (_place, server, written) => {
    expect(withoutServerSecrets(server, createSecrets({}))).toEqual(written);
  });
});
