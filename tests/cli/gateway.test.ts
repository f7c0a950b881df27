import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { GatewayRun } from '../../src/cli/gateway-plan.js';
import { type Makers, runGateway } from '../../src/cli/gatewaying.js';
import { CallerError } from '../../src/errors.js';
import { createKey } from '../../src/gateway/access/keys.js';
import { gatewaySettingFamily } from '../../src/gateway/config/family.js';
import type { GatewayChanges, GatewayOptions } from '../../src/gateway/gateway.js';
import { addKeptKey } from '../../src/gateway/uploads/kept-keys.js';
import { createFakeServices } from '../gateway/harness.js';
import { createFolder } from '../interpreter/scripts.js';
import { FakeToolbox, text } from '../server/fake-toolbox.js';
import { say } from './fake.js';

const url = 'http://127.0.0.1:8080';
const farService = { id: 'far', source: { kind: 'url', url: 'https://example.com/mcp' } };

describe('mcp-exec gateway', () => {
  it('has help with examples and a flag for every setting', async () => {
    const { exitCode, stdout } = await say(['gateway', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('$ mcp-exec gateway');
    for (const name of gatewaySettingFamily.names) {
      expect(stdout).toMatch(new RegExp(`${gatewaySettingFamily.flagName(name)}(?: |\\n)`));
    }
    expect(stdout).toContain('--timeout-ms');
  });

  it.each([
    [['gateway'], /There is nothing to serve/],
    [['gateway', '--port', 'http', '--data', 'x'], /Setting port: expected number, got "http"/],
    [['gateway', '--config', '/nowhere/gateway.json'], /gateway\.json cannot be read/],
    [['gateway', '/nowhere/x.py'], /There is no file \/nowhere\/x\.py/],
    [['gateway', '--data', import.meta.filename], /gateway\.test\.ts\/keys\.json cannot be read: ENOTDIR/],
    [['gateway', '--prot', '80'], /unknown option '--prot'/],
  ])('refuses %j with exit code 2', async (words, message) => {
    const { exitCode, stdout, stderr } = await say(words, { environment: process.env });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('takes flags, then variables, then the file, then defaults', async () => {
    const config = await writeConfig({ port: 1, host: '127.0.0.2', probeMs: 3, settings: { timeoutMs: 4, cpuMs: 5 } });
    const environment = {
      MCP_EXECUTION_GATEWAY_PORT: '11',
      MCP_EXECUTION_GATEWAY_HOST: '127.0.0.3',
      MCP_EXECUTION_TIMEOUT_MS: '14',
    };
    const made = createMakers();
    const run = started(
      {
        flags: { config },
        gateway: { ...gatewaySettingFamily.fromEnvironment(environment), port: 21 },
        engine: { timeoutMs: 14 },
      },
      made,
    );
    await run.ready;
    expect(made.options?.settings).toMatchObject({ port: 21, host: '127.0.0.3', probeMs: 3, drainMs: 10_000 });
    expect(made.options?.limits).toMatchObject({ timeoutMs: 14, cpuMs: 5 });
    await run.end();
  });

  it('serves what the command line and the file name, with the keys of the file and of the data folder', async () => {
    const data = await createFolder();
    const [one, two] = [createKey({ name: 'one' }), createKey({ name: 'two' })];
    await addKeptKey(data, two.entry);
    const config = await writeConfig({ keys: [one.entry], services: { far: { url: 'https://example.com/mcp' } } });
    const made = createMakers();
    const run = started({ flags: { config, command: ['git=uvx mcp-server-git'] }, gateway: { data } }, made);
    await run.ready;
    expect(made.options?.services?.map(({ id }) => id)).toEqual(['git', 'far']);
    expect(made.options?.keys?.map(({ name }) => name)).toEqual(['one', 'two']);
    await run.end();
  });

  it('says where it is, what it serves, who gets in and what to try, on stderr', async () => {
    const made = createMakers({
      'word-count': new FakeToolbox({
        count: {
          inputSchema: {
            type: 'object',
            required: ['text', 'n'],
            properties: { text: { type: 'string' }, n: { type: 'integer' } },
          },
          work: () => text('4'),
        },
      }),
      broken: {
        ...new FakeToolbox(),
        listTools: () => Promise.reject(new Error('no')),
        call: async () => text(''),
        close: async () => {},
      },
    });
    const run = started({ flags: { url: ['far=https://example.com/mcp'] } }, made);
    await expect.poll(run.said, { interval: 5 }).toContain('MCP:');
    expect(run.said()).toContain(`Gateway: ${url}\n`);
    expect(run.said()).toContain('Services: word-count (1 tool), broken (failing)\nbroken fails: no\n');
    expect(run.said()).toContain('Access: open, to this machine alone; mcp-exec key NAME makes a key\n');
    expect(run.said()).toContain(
      `Try: curl -s ${url}/api/v1/services/word-count/tools/count -H 'Content-Type: application/json' -d '{"text":"to be or not to be","n":3}'\n`,
    );
    await run.end();
  });

  it('drains and closes when it is told to end, and ends with 130', async () => {
    const made = createMakers();
    const run = started({ flags: { url: ['far=https://example.com/mcp'] } }, made);
    await run.ready;
    expect(await run.end()).toBe(130);
    expect(made.did).toEqual(['drain', 'close gateway', 'close opener']);
  });

  it('ends with 0 after SIGTERM', async () => {
    const made = createMakers();
    const run = started({ flags: { url: ['far=https://example.com/mcp'] } }, made);
    await run.ready;
    process.emit('SIGTERM');
    expect(await run.end()).toBe(0);
  });

  it('closes what it opened where the gateway cannot start, and tells why', async () => {
    const made = createMakers();
    const failing: Makers = {
      ...made.makers,
      createGateway: async () => {
        throw new CallerError('INVALID_SETTING', '--port: port 80 is in use');
      },
    };
    const run = started({ flags: { url: ['far=https://example.com/mcp'] } }, { ...made, makers: failing });
    expect(await run.ended).toBe(2);
    expect(run.said()).toContain('INVALID_SETTING: --port: port 80 is in use');
    expect(made.did).toEqual(['close opener']);
  });

  it('applies a config file that was changed, and keeps what is where it cannot be read', async () => {
    const config = await writeConfig({ services: { far: { url: 'https://example.com/mcp' } } });
    const made = createMakers();
    const run = started({ flags: { config } }, made);
    await run.ready;
    await writeFile(config, '{ "services": ');
    process.emit('SIGHUP');
    await expect.poll(run.logged, { interval: 5, timeout: 10_000 }).toContain('everything stays as it was');
    expect(made.applied).toEqual([]);
    await writeFile(config, JSON.stringify({ port: 9, cacheTtlMs: 7, settings: { cpuMs: 1 } }));
    process.emit('SIGHUP');
    await expect.poll(() => made.applied.length, { interval: 5, timeout: 10_000 }).toBeGreaterThan(0);
    expect(made.applied.at(-1)).toMatchObject({ services: [], settings: { cacheTtlMs: 7 } });
    await expect.poll(run.logged, { interval: 5 }).toContain('"settings":["port","settings.cpuMs"]');
    await run.end();
  });

  it('lets nobody in because a file of keys is gone', async () => {
    const data = await createFolder();
    await addKeptKey(data, createKey({ name: 'ada' }).entry);
    const made = createMakers();
    const run = started({ gateway: { data } }, made);
    await run.ready;
    await rm(join(data, 'keys.json'));
    process.emit('SIGHUP');
    await expect.poll(run.logged, { interval: 5, timeout: 10_000 }).toContain('which would let everybody in');
    expect(made.applied).toEqual([]);
    await run.end();
  });

  it('reads the file again by itself, and a key that was added', async () => {
    const data = await createFolder();
    const config = await writeConfig({});
    const made = createMakers();
    const run = started({ flags: { config }, gateway: { data } }, made);
    await run.ready;
    await writeFile(config, JSON.stringify({ services: { far: { url: 'https://example.com/mcp' } } }));
    await expect.poll(() => made.applied.at(-1)?.services, { timeout: 10_000 }).toEqual([farService]);
    const { entry } = createKey({ name: 'late' });
    await addKeptKey(data, entry);
    await expect.poll(() => made.applied.at(-1)?.keys, { timeout: 10_000 }).toEqual([entry]);
    await run.end();
  });
});

function createMakers(toolboxes: Parameters<typeof createFakeServices>[0] = {}) {
  const did: string[] = [];
  const applied: GatewayChanges[] = [];
  const made: { options?: GatewayOptions } = {};
  let tellReady = () => {};
  const ready = new Promise<void>((resolve) => {
    tellReady = resolve;
  });
  const makers: Makers = {
    createOpener: () => ({
      open: () => Promise.reject(new Error('nothing is opened here')),
      close: async () => void did.push('close opener'),
    }),
    createGateway: async (options) => {
      made.options = options;
      tellReady();
      return {
        url,
        services: createFakeServices(toolboxes),
        apply: async (changes: GatewayChanges) => void applied.push(changes),
        drain: async () => void did.push('drain'),
        close: async () => void did.push('close gateway'),
      };
    },
  };
  return Object.assign(made, { makers, did, applied, ready });
}

function started(run: Partial<GatewayRun>, made: Pick<ReturnType<typeof createMakers>, 'makers' | 'ready'>) {
  let [stderr, logged] = ['', ''];
  const interruption = new AbortController();
  const stderrOfProcess = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    logged += String(line);
    return true;
  });
  const engine = { logLevel: 'info', ...run.engine };
  const ended = runGateway(
    { targets: [], flags: {}, gateway: {}, ...run, engine },
    {
      out: () => {},
      note: (line) => {
        stderr += line;
      },
      watched: false,
      colours: false,
      environment: process.env,
      interrupt: interruption.signal,
      createEngine: () => Promise.reject(new Error('not asked for')),
    },
    made.makers,
  ).finally(() => stderrOfProcess.mockRestore());
  return {
    ready: made.ready,
    ended,
    said: () => stderr,
    logged: () => logged,
    end() {
      interruption.abort();
      return ended;
    },
  };
}

async function writeConfig(config: object): Promise<string> {
  const file = join(await createFolder(), 'gateway.json');
  await writeFile(file, JSON.stringify(config));
  return file;
}
