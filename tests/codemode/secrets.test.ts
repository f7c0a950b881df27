import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../src/log.js';
import { createCodeExecution } from '../../src/services/code-execution.js';
import { fixture } from '../engine/harness.js';

const secret = 's3cr3t-of-the-config:7f3a';
const server = join(import.meta.dirname, '..', 'client', 'servers', 'keeps_a_shop.mjs');

describe('a script', () => {
  it('finds no secret of the config: not in its environment, files, /proc, frames or memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    const workspace = join(folder, 'workspace');
    mkdirSync(workspace);
    const config = join(workspace, '.mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: serversWithSecrets() }));
    const script = join(workspace, 'looks.py');
    writeFileSync(script, readFileSync(fixture('strict/looks_for_secrets.py')));
    const logged: string[] = [];
    const code = await createCodeExecution({
      config,
      workspace,
      environment: { ...process.env, FROM_ENVIRONMENT: secret },
      log: createLog({ level: 'debug', write: (line) => logged.push(line) }),
    });
    onTestFinished(() => code.close());
    await code.generateWrappers({ servers: ['shop'] });
    const { value, calls } = await code.executeScript({ path: script });
    expect(value).toEqual([]);
    expect(calls.map(({ server: name }) => name)).toContain('shop');
    expect(logged.join('')).not.toContain(secret);
    expect(readFileSync(join(workspace, 'runs', 'log.jsonl'), 'utf8')).not.toContain(secret);
  }, 60_000);

  it('is found out by the same search where there is a secret to be found', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    const code = await createCodeExecution({ config: { mcpServers: serversWithSecrets() }, workspace: folder });
    onTestFinished(() => code.close());
    const path = fixture('strict/looks_for_secrets.py');
    const { value } = await code.executeScript({ path, args: [secret] });
    expect(value).toEqual(expect.arrayContaining(['arguments', 'objects']));
  }, 60_000);

  it.each(['servers', 'servers/github'])('has no config in the %s that it reads', async (place) => {
    const workspace = mkdtempSync(join(tmpdir(), 'secrets-'));
    mkdirSync(join(workspace, place), { recursive: true });
    const config = join(workspace, place, '.mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: serversWithSecrets() }));
    symlinkSync(config, join(workspace, 'linked.json'));
    for (const named of [config, join(workspace, 'linked.json')]) {
      await expect(createCodeExecution({ config: named, workspace })).rejects.toMatchObject({
        code: 'INVALID_WORKSPACE',
        message: expect.stringContaining('Move it'),
      });
    }
  });

  function serversWithSecrets() {
    return {
      shop: {
        command: process.execPath,
        args: [server, `--token=${secret}`],
        env: { SHOP_TOKEN: secret, OTHER: '$' + '{FROM_ENVIRONMENT:-none}' },
      },
      far: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: `Bearer ${secret}` } },
    };
  }
});
