import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childrenOf, isAlive, until } from '../engine/processes.js';
import { callTool, listServices, startGateway } from '../gateway/gateway-process.js';
import { createFolder } from '../interpreter/scripts.js';

const bin = join(import.meta.dirname, '../../dist/bin/mcp-exec.js');
const run = promisify(execFile);

describe('the built gateway', () => {
  it('says what to try, and that works as printed', async () => {
    const { said } = await startGateway([await writeScript()]);
    await expect.poll(said, { interval: 10, timeout: 20_000 }).toContain('MCP:');
    const curl = /^Try: (.*)$/m.exec(said())?.[1] ?? '';
    const { stdout } = await run('sh', ['-c', curl]);
    expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { result: 18 } });
    expect(said().trimEnd().split('\n')).toHaveLength(5);
  });

  it('is ready by a real call, and counts calls', async () => {
    const { url } = await startGateway([await writeScript()]);
    await expect.poll(async () => (await fetch(`${url}/health/ready`)).status, { timeout: 20_000 }).toBe(200);
    expect((await callTool(url, 'words', 'count', { text: 'abc' })).status).toBe(200);
    const page = await (await fetch(`${url}/metrics`)).text();
    expect(page).toContain('mcp_execution_calls_total{service="words",tool="count",outcome="done",transport="rest"} 1');
  });

  it('lets a call under way finish when it is terminated, and ends with 0', async () => {
    const { url, child, said } = await startGateway([await writeScript()]);
    const call = callTool(url, 'words', 'nap', { seconds: 1 });
    await until(() => childrenOf(child.pid ?? -1).length > 0);
    await expect.poll(async () => inFlight(url), { interval: 10, timeout: 20_000 }).toBe(1);
    child.kill('SIGTERM');
    const [[exitCode], { status }] = await Promise.all([once(child, 'exit'), call]);
    expect([exitCode, status], said()).toEqual([0, 200]);
  });

  it('ends at once at the second signal, and nothing stays', async () => {
    const { url, child } = await startGateway([await writeScript()]);
    callTool(url, 'words', 'nap', { seconds: 600 }).catch(() => undefined);
    await expect.poll(async () => inFlight(url), { interval: 10, timeout: 20_000 }).toBe(1);
    const below = childrenOf(child.pid ?? -1);
    const gone = once(child, 'exit');
    child.kill('SIGINT');
    await expect.poll(async () => (await fetch(`${url}/health/ready`).catch(() => ({ status: 503 }))).status).toBe(503);
    child.kill('SIGINT');
    expect((await gone)[0]).toBe(130);
    await until(() => below.every((pid) => !isAlive(pid)));
  });

  it.each([
    [['--port', 'PORT'], /port \d+ is in use; choose another with --port/],
    [['--port', '0', '--host', '0.0.0.0'], /other machines reach 0\.0\.0\.0.*mcp-exec key/],
  ])('refuses %j with exit code 2 and what to do', async (flags, message) => {
    const port = await takePort();
    const script = await writeScript();
    const child = spawn(process.execPath, [bin, 'gateway', script, ...flags.map((word) => word.replace('PORT', port))]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('takes up a changed config file, and opens its access log anew, at SIGHUP', async () => {
    const script = await writeScript();
    const folder = await createFolder();
    const [config, accessLog] = [join(folder, 'gateway.json'), join(folder, 'access.jsonl')];
    await writeFile(config, JSON.stringify({ accessLog, services: { first: { script } } }));
    const { url, child } = await startGateway(['--config', config]);
    expect(await listServices(url)).toEqual(['first']);
    await writeFile(config, JSON.stringify({ accessLog, services: { first: { script }, second: { script } } }));
    await rename(accessLog, `${accessLog}.1`);
    child.kill('SIGHUP');
    await expect.poll(() => listServices(url), { interval: 20, timeout: 20_000 }).toEqual(['first', 'second']);
    const lines = () => readFile(accessLog, 'utf8').catch(() => '');
    await expect.poll(lines, { interval: 20, timeout: 10_000 }).toContain('"route":"/api/v1/services"');
  });

  it('lets in whoever has a key that was made for it, from the moment it was made', async () => {
    const data = join(await createFolder(), 'data');
    const { stdout: first } = await run(process.execPath, [bin, 'key', 'ada', '--data', data]);
    const { url } = await startGateway([await writeScript(), '--data', data]);
    const asking = (key: string) =>
      fetch(`${url}/api/v1/services`, { headers: { authorization: `Bearer ${key.trim()}` } });
    expect((await fetch(`${url}/api/v1/services`)).status).toBe(401);
    expect((await asking(first)).status).toBe(200);
    const { stdout: later } = await run(process.execPath, [bin, 'key', 'bob', '--data', data]);
    await expect.poll(async () => (await asking(later)).status, { timeout: 10_000 }).toBe(200);
  });
});

async function inFlight(url: string): Promise<number> {
  const answer = await (await fetch(`${url}/api/v1/admin/requests`)).json();
  return (answer as { requests: { state: string }[] }).requests.filter(({ state }) => state === 'running').length;
}

async function writeScript(): Promise<string> {
  const path = join(await createFolder(), 'words.py');
  const lines = [
    'import time',
    'def count(text: str) -> int:',
    '    """Counts letters."""',
    '    return len(text)',
    'def nap(seconds: float) -> str:',
    '    time.sleep(seconds)',
    '    return "rested"',
  ];
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

async function takePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return String(typeof address === 'object' ? address?.port : address);
}
