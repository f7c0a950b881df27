import { readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Settings } from '../src/config.js';
import { HostError } from '../src/errors.js';
import { createLog, reference } from '../src/log.js';
import { createFolder } from './interpreter/scripts.js';

describe('log', () => {
  it('writes one line of JSON with time, level, layer, event and fields', () => {
    const { log, lines } = recorded();
    log.info('call ended', { script: 'a.py', ms: 3 });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('}\n')).toBe(true);
    const { time, ...rest } = entry(lines);
    expect(new Date(String(time)).toISOString()).toBe(time);
    expect(rest).toEqual({ level: 'info', layer: 'host', event: 'call ended', script: 'a.py', ms: 3 });
  });

  it.each([
    ['silent', []],
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ] as const)('at level %s writes %j', (level, expected) => {
    const { log, lines } = recorded(level);
    for (const name of ['error', 'warn', 'info', 'debug'] as const) log[name]('event');
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(expected);
  });

  it('writes from another level on when told so, and so does every log made of it', () => {
    const { log, lines } = recorded('warn');
    const child = log.child({ part: 'child' });
    const script = log.script;
    log.setLevel('debug');
    for (const each of [log, child, script]) each.debug('event');
    expect(log.level).toBe('debug');
    expect(lines).toHaveLength(3);
    log.setLevel('silent');
    for (const each of [log, child, script]) each.error('event');
    expect(lines).toHaveLength(3);
  });

  it('goes on in a new file after the old one was moved away and the file is opened anew', async () => {
    const folder = await createFolder();
    const [file, moved] = [join(folder, 'log.jsonl'), join(folder, 'log.jsonl.1')];
    const log = createLog({ level: 'info', file, write: () => undefined });
    log.info('first');
    await rename(file, moved);
    log.info('second');
    log.reopen();
    log.info('third');
    log.reopen();
    expect(await eventsOf(moved)).toEqual(['first', 'second']);
    expect(await eventsOf(file)).toEqual(['third']);
  });

  it('writes to stderr unless told otherwise', () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    createLog({ level: 'info' }).info('here');
    expect(String(written.mock.calls[0]?.[0])).toContain('"event":"here"');
    written.mockRestore();
  });

  it('gives a child the fields of its parent, and fields cannot pass for the event itself', () => {
    const { log, lines } = recorded();
    log
      .child({ service: 's', tool: 't' })
      .child({ tool: 'u' })
      .script.warn('event', { level: 'fatal', event: 'forged' });
    expect(entry(lines)).toMatchObject({ service: 's', tool: 'u', layer: 'script', level: 'warn', event: 'event' });
  });

  it('logs scripts whole, and hosts without the home folder and environments', () => {
    const { log, lines } = recorded();
    const fields = { path: `${homedir()}/script.py`, env: { LANG: 'C' }, inner: { environment: ['a'] } };
    log.info('started', fields);
    log.script.info('started', fields);
    const left = '[environment left out]';
    expect(entry(lines, 0)).toMatchObject({ path: '~/script.py', env: left, inner: { environment: left } });
    expect(entry(lines, 1)).toMatchObject(fields);
  });

  it('writes no secret in either layer, in texts, keys, nested fields and errors', () => {
    const { log, lines } = recorded();
    const cause = new Error('cause with s3cr3t-value');
    const error = new HostError('SPAWN_FAILED', 'failed with s3cr3t-value', { tried: ['s3cr3t-value'] }, { cause });
    const fields = { error, list: [{ 's3cr3t-value': 's3cr3t-value' }], map: new Map([['a', 's3cr3t-value']]) };
    log.error('s3cr3t-value', fields);
    log.script.error('s3cr3t-value', { ...fields, named: 'named-value' });
    expect(lines.join('')).not.toMatch(/s3cr3t-value|named-value/);
    expect(entry(lines)).toMatchObject({
      event: '[redacted API_TOKEN]',
      error: {
        name: 'HostError',
        code: 'SPAWN_FAILED',
        message: 'failed with [redacted API_TOKEN]',
        details: { tried: ['[redacted API_TOKEN]'] },
        cause: { message: 'cause with [redacted API_TOKEN]' },
      },
    });
    expect(entry(lines, 1)).toMatchObject({ named: '[redacted PLAIN]' });
  });

  it('writes no text of a field whose name looks secret', () => {
    const { log, lines } = recorded();
    log.info('request', { headers: { Authorization: 'x', cookie: ['y'] }, apiKey: 'z', tokens: 12 });
    expect(entry(lines)).toMatchObject({
      headers: { Authorization: '[redacted]', cookie: ['[redacted]'] },
      apiKey: '[redacted]',
      tokens: 12,
    });
  });

  it('logs whatever it is given', () => {
    const { log, lines } = recorded();
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const deep = JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`);
    const throwing = {
      get field() {
        throw new Error('no such field');
      },
    };
    log.info('odd', {
      circular,
      deep,
      throwing,
      bytes: Buffer.from('abc'),
      big: 10n ** 20n,
      symbol: Symbol('s'),
      run() {},
      date: new Date(0),
      url: new URL('http://user:pass@host/'),
      set: new Set([1]),
      nothing: undefined,
      empty: null,
    });
    const { time, deep: written, ...rest } = entry(lines);
    expect(JSON.stringify(written)).toBe('[[[[[[["[…]"]]]]]]]');
    expect(rest).toEqual({
      level: 'info',
      layer: 'host',
      event: 'odd',
      circular: { self: '[circular]' },
      throwing: '[cannot be logged: no such field]',
      bytes: '[3 bytes]',
      big: '100000000000000000000',
      symbol: 'Symbol(s)',
      date: '1970-01-01T00:00:00.000Z',
      url: 'http://user:[redacted]@host/',
      set: [1],
      empty: null,
    });
  });
});

describe('reference', () => {
  it('is short, and another one each time', () => {
    expect(reference()).toMatch(/^[0-9a-f]{10}$/);
    expect(reference()).not.toBe(reference());
  });
});

async function eventsOf(file: string): Promise<readonly unknown[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line).event);
}

function recorded(level: Settings['logLevel'] = 'debug') {
  const lines: string[] = [];
  const environment = { API_TOKEN: 's3cr3t-value', PLAIN: 'named-value' };
  const log = createLog({ level, environment, secrets: ['PLAIN'], write: (line) => lines.push(line) });
  return { log, lines };
}

function entry(lines: readonly string[], index = 0): Record<string, unknown> {
  return JSON.parse(lines[index] ?? '');
}
