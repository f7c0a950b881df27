import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKey } from '../../src/gateway/access/keys.js';
import { createGateway } from '../../src/services/gateway.js';
import { folderWith } from '../engine/harness.js';

const spy = `
import os, socket, subprocess

def tried(work):
    try:
        return repr(work())
    except BaseException as error:
        return type(error).__name__

def spy(data: str, port: int) -> dict[str, str]:
    return {
        'keys': tried(lambda: open(os.path.join(data, 'keys.json')).read()),
        'data': tried(lambda: sorted(os.listdir(data))),
        'services': tried(lambda: sorted(os.listdir(os.path.join(data, 'services')))),
        'neighbour': tried(lambda: os.listdir(os.path.join(data, 'services', 'secret'))),
        'machine': tried(lambda: open('/etc/passwd').read()),
        'itself': tried(lambda: open(__file__, 'a')),
        'variable': tried(lambda: os.environ['MCP_EXECUTION_TEST_SECRET']),
        'gateway': tried(lambda: socket.create_connection(('127.0.0.1', port), 2)),
        'process': tried(lambda: subprocess.run(['true'])),
    }
`;
const secret = `SECRET = 'of ann'\n\ndef tell() -> str:\n    return SECRET\n`;
const add = 'def add(a: int, b: int) -> int:\n    return a + b\n';
const importsForEver = `import time\n_never = (lambda: time.sleep(600))()\n${add}`;
const waitsAndSays = (word: string) =>
  `import time\n\ndef say(ms: int) -> str:\n    time.sleep(ms / 1000)\n    return '${word}'\n`;

/** Nothing of what the settings allow the scripts of the machine's owner is for those of others. */
const generous = { allowAll: true, installPackages: 'builds', isolation: 'shared' } as const;

async function serve() {
  const data = folderWith({});
  const [ann, ben] = ['ann', 'ben'].map((name) => createKey({ name, scopes: ['call', 'upload'] }));
  if (!ann || !ben) throw new Error('no keys');
  const gateway = await createGateway({
    settings: { port: 0, data: join(data, 'kept') },
    keys: [ann.entry, ben.entry],
    engine: { ...generous, logLevel: 'silent' },
  });
  onTestFinished(async () => {
    await gateway.close();
    await rm(data, { recursive: true });
  });
  const ask = async (key: string, method: string, path: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type };
    const response = await fetch(`${gateway.url}/api/v1/services${path}`, { method, headers, body });
    const answer = await response.json();
    return { status: response.status, ...(answer as { structuredContent?: { result?: unknown } }) };
  };
  const clientOf = (key: string) => ({
    upload: (id: string, script: string) => ask(key, 'POST', `?id=${id}`, 'text/x-python', script),
    replace: (id: string, script: string) => ask(key, 'PUT', `/${id}`, 'text/x-python', script),
    call: (id: string, tool: string, args: object) =>
      ask(key, 'POST', `/${id}/tools/${tool}`, 'application/json', JSON.stringify(args)),
  });
  return { data: join(data, 'kept'), url: gateway.url, ann: clientOf(ann.key), ben: clientOf(ben.key) };
}

describe.runIf(process.platform === 'linux')('an uploaded script', () => {
  it('sees nothing of the gateway, of its neighbours and of the machine', async () => {
    vi.stubEnv('MCP_EXECUTION_TEST_SECRET', 'hunter2');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { data, url, ann, ben } = await serve();
    expect((await ann.upload('secret', secret)).status).toBe(201);
    expect((await ben.upload('spy', spy)).status).toBe(201);
    const { structuredContent } = await ben.call('spy', 'spy', { data, port: Number(new URL(url).port) });
    const refused = expect.stringMatching(/^(?:FileNotFound|Permission|OS|Key)Error$/);
    expect(structuredContent).toEqual({
      keys: refused,
      data: expect.stringMatching(/^(?:\['services'\]|PermissionError)$/),
      services: expect.stringMatching(/^(?:\['spy'\]|PermissionError)$/),
      neighbour: refused,
      machine: refused,
      itself: refused,
      variable: refused,
      gateway: refused,
      process: refused,
    });
  });

  it('whose import never ends holds up nobody else', async () => {
    const { ann, ben } = await serve();
    await ann.upload('slow', importsForEver);
    await ben.upload('quick', add);
    for (let call = 0; call < 20; call++) ann.call('slow', 'add', { a: 1, b: 2 }).catch(() => undefined);
    for (let a = 0; a < 20; a++) {
      expect((await ben.call('quick', 'add', { a, b: 1 })).structuredContent).toEqual({ result: a + 1 });
    }
    expect((await ben.upload('another', add)).status).toBe(201);
    expect((await ben.call('another', 'add', { a: 1, b: 1 })).status).toBe(200);
  });

  it('that is replaced finishes its calls as it was, and serves the next as it is', async () => {
    const { ann } = await serve();
    await ann.upload('words', waitsAndSays('before'));
    await ann.call('words', 'say', { ms: 0 });
    const underWay = ann.call('words', 'say', { ms: 1500 });
    expect((await ann.replace('words', waitsAndSays('after'))).status).toBe(200);
    expect((await ann.call('words', 'say', { ms: 0 })).structuredContent).toEqual({ result: 'after' });
    expect((await underWay).structuredContent).toEqual({ result: 'before' });
  });
});
