import { describe, expect, it } from 'vitest';
import { createRedactor, hideHome, looksSecret, secretInWord } from '../src/redact.js';

describe('looksSecret', () => {
  it.each([
    'TOKEN',
    'API_TOKEN',
    'github_token',
    'NPM_CONFIG__AUTHTOKEN',
    'CLIENT_SECRET',
    'SECRETS',
    'DB_PASSWORD',
    'PGPASSWORD',
    'MYSQL_PWD',
    'SMTP_PASS',
    'OLD_PASSWD',
    'OPENAI_API_KEY',
    'APIKEY',
    'apiKey',
    'STRIPE_KEY',
    'SSH_PRIVATE_KEY',
    'SSH_PRIVATE_KEY_BASE64',
    'AWS_ACCESS_KEY_ID',
    'GOOGLE_CREDENTIALS',
    'BASIC_AUTH',
    'AUTH',
    'authorization',
    'SESSION_COOKIE',
    'SENTRY_DSN',
    'AZURE_CONNECTION_STRING',
  ])('is true of %s', (name) => {
    expect(looksSecret(name)).toBe(true);
  });

  it.each([
    'AUTHOR',
    'GIT_AUTHOR_EMAIL',
    'KEYBOARD_LAYOUT',
    'KEY',
    'SSH_AUTH_SOCK',
    'XAUTHORITY',
    'PWD',
    'OLDPWD',
    'PATH',
    'GIT_ASKPASS',
    'MAX_TOKENS',
    'TOKEN_URL',
    'PASSWORD_FILE',
    'TOKENIZERS_PARALLELISM',
    'COMPASS_DIRECTION',
    'KEYS_DIR',
    '',
  ])('is false of %s', (name) => {
    expect(looksSecret(name)).toBe(false);
  });
});

describe('redactor', () => {
  it('replaces the values of variables that look secret or are named, and says which', () => {
    const { text } = createRedactor({ API_TOKEN: 'abc.def*1', PLAIN: 'hunter22', HOST: 'visible' }, ['PLAIN']);
    expect(text('abc.def*1 and hunter22 at visible; abcXdef*1')).toBe(
      '[redacted API_TOKEN] and [redacted PLAIN] at visible; abcXdef*1',
    );
  });

  it('replaces the longer of two secrets first', () => {
    const { text } = createRedactor({ A_TOKEN: 'secret', B_TOKEN: 'secret-longer' });
    expect(text('secret-longer secret')).toBe('[redacted B_TOKEN] [redacted A_TOKEN]');
  });

  it('leaves values shorter than six characters, which would match by chance', () => {
    expect(createRedactor({ A_TOKEN: 'short', B_TOKEN: '' }).text('a short text')).toBe('a short text');
  });

  it('knows a secret as a URL writes it, and each line of one with several', () => {
    const { text } = createRedactor({ A_PASSWORD: 'p@ss/word', B_SECRET: 'first line\nsecond line\n' });
    expect(text('https://host/?q=p%40ss%2Fword')).toBe('https://host/?q=[redacted A_PASSWORD]');
    expect(text('repr: "second line"')).toBe('repr: "[redacted B_SECRET]"');
  });

  it.each([
    ['Authorization: Bearer abc123def', 'Authorization: Bearer [redacted]'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted]'],
    ['"Authorization": "Token abcdef"', '"Authorization": "Token [redacted]"'],
    ['key sk-proj-0123456789abcdefghij.', 'key [redacted token].'],
    ['sk_live_0123456789abcdef', '[redacted token]'],
    [`ghp_${'a1'.repeat(18)}`, '[redacted token]'],
    [`github_pat_${'a1_'.repeat(10)}`, '[redacted token]'],
    ['AKIAIOSFODNN7EXAMPLE', '[redacted token]'],
    ['xoxb-123456789012-abcdef', '[redacted token]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def', '[redacted token]'],
    ['postgres://user:pa55@host/db', 'postgres://user:[redacted]@host/db'],
    ['redis://:pa55@host', 'redis://:[redacted]@host'],
    ['https://host/path?api_key=abc&x=1', 'https://host/path?api_key=[redacted]&x=1'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nafter', '[redacted key]\nafter'],
  ])('knows the shape of %s', (given, expected) => {
    expect(createRedactor({}).text(given)).toBe(expected);
  });

  it.each([
    'Bearer of good news',
    'a Basic understanding',
    'task-0123456789abcdefgh',
    'http://host:8080/path@2',
    'see https://example.com/a?b=c',
    'mailto: someone@example.com',
  ])('leaves %s alone', (text) => {
    expect(createRedactor({}).text(text)).toBe(text);
  });
});

describe('secretInWord', () => {
  it.each([
    ['API_KEY=abc=d', 'API_KEY=', 'API_KEY'],
    ['-eAPI_KEY=abc=d', '-eAPI_KEY=', 'API_KEY'],
    ['-Ddb.password=abc=d', '-Ddb.password=', 'db.password'],
    ['--env=API_KEY=abc=d', '--env=API_KEY=', 'API_KEY'],
    ['--api-key=abc=d', '--api-key=', 'api-key'],
    ['-token=abc=d', '-token=', 'token'],
    ['Authorization: abc=d', 'Authorization: ', 'Authorization'],
    ['--header=X-Api-Key:abc=d', '--header=X-Api-Key:', 'X-Api-Key'],
  ])('finds the value in %s', (word, before, name) => {
    expect(secretInWord(word)).toEqual({ before, name, value: 'abc=d' });
  });

  it.each(['MODE=test', '--root=/a', '-emode=x', 'TOKEN=', 'https://a.example', 'token', 'KEYBOARD=de'])(
    'finds nothing in %s',
    (word) => {
      expect(secretInWord(word)).toBeUndefined();
    },
  );
});

describe('hideHome', () => {
  it('writes the home folder as a tilde, and no folder that only begins like it', () => {
    expect(hideHome('/home/al/x.py, file:///home/al/y, /home/alice, /home/al', '/home/al')).toBe(
      '~/x.py, file://~/y, /home/alice, ~',
    );
    expect(hideHome('C:\\Users\\al\\x.py', 'C:\\Users\\al')).toBe('~\\x.py');
  });

  it('leaves paths alone where the root is the home folder', () => {
    expect(hideHome('/etc/hosts', '/')).toBe('/etc/hosts');
  });
});
