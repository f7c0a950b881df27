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
      'the environment',
      { command: 'npx', env: { API_TOKEN: 'abcdef', MODE: `\${x}` } },
      { command: 'npx', env: { API_TOKEN: `\${API_TOKEN}`, MODE: `$\${x}` } },
    ],
  ])('are taken out of %s of a server', (_place, server, written) => {
    expect(withoutServerSecrets(server, createSecrets({}))).toEqual(written);
  });
});
