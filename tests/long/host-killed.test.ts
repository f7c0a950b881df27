import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import type { SettingsInput } from '../../src/config.js';
import { folderWith, launchers, processesLeft } from '../engine/harness.js';
import { longMs, longScript, say, scaled } from './scale.js';

const callsAtOnce = 8;
const patienceMs = 20_000;
const strict = { profile: 'strict', allowRun: true, allowEnv: ['MCP_EXECUTION_TEST_MARK'] } as const;

describe('a host killed in the midst of 8 calls with grandchildren leaves nothing', () => {
  it.each(
    launchers.flatMap((launcher) => [
      { settings: { launcher }, times: 20 },
      { settings: { launcher, ...strict }, times: 5 },
      { settings: { launcher, ...strict, namespaces: 'off' as const }, times: 5 },
    ]),
  )(
    '$times times ($settings)',
    async ({ settings, times }) => {
      const program = bundleHost();
      for (let round = 0; round < scaled(times); round++) {
        const temporary = folderWith({});
        const host = startHost(program, settings, temporary);
        await untilAllRun(host);
        expect(processesLeft().length).toBeGreaterThan(callsAtOnce * 4);
        host.kill('SIGKILL');
        await untilNothingIsLeft();
        expect(readdirSync(temporary)).toEqual([]);
      }
      say(`${JSON.stringify(settings)}: ${scaled(times)} hosts killed`);
    },
    longMs,
  );
});

/** By a process of its own, because the bundler leaves one behind that is not the engine's. */
function bundleHost(): string {
  const code = `import { compile } from './scripts/load.mjs'; console.log(await compile('tests/long/host.ts', 'host'));`;
  const cwd = join(import.meta.dirname, '..', '..');
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' }).trim();
}

function startHost(program: string, settings: SettingsInput, temporary: string): ChildProcess {
  const script = longScript('with_grandchildren.py');
  return spawn(process.execPath, [program, JSON.stringify(settings), script, String(callsAtOnce)], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function untilAllRun(host: ChildProcess): Promise<void> {
  if (!host.stdout) return expect.fail('the host has no output');
  const running = new Set<string>();
  for await (const line of createInterface({ input: host.stdout })) {
    running.add(line);
    if (running.size === callsAtOnce) return;
  }
  expect.fail(`the host ended with ${running.size} calls begun`);
}

async function untilNothingIsLeft(): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (processesLeft().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(processesLeft()).toEqual([]);
}
