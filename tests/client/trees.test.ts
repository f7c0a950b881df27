import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandOf, failure, guards, hasGuard, isAlive, open, textOf, until } from './harness.js';

const python = (await guards())[0]?.python;

describe.skipIf(!hasGuard)('the guard', () => {
  it('ends what left the group of the server, when the server is closed', async () => {
    const toolbox = open('forks_a_daemon.mjs', {}, { python });
    const { pid, daemon } = JSON.parse(textOf(await toolbox.call('work', { leavesGroup: true })));
    expect(isAlive(daemon)).toBe(true);
    await toolbox.close();
    expect([isAlive(pid), isAlive(daemon)]).toEqual([false, false]);
  });

  it('ends what left the group of the server, when the server crashes', async () => {
    const toolbox = open('forks_a_daemon.mjs', {}, { python });
    const { pid, daemon } = JSON.parse(textOf(await toolbox.call('work', { leavesGroup: true })));
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(daemon) && toolbox.status().crashes === 1);
    expect(JSON.parse(textOf(await toolbox.call('work', {}))).pid).not.toBe(pid);
  });

  it('ends a server whose tree holds too much memory, and its calls with MEMORY_LIMIT', async () => {
    const toolbox = open('leaks_memory.mjs', {}, { python, memoryBytes: 150 * 1024 * 1024 });
    const error = await failure(toolbox.call('work', {}));
    expect(error).toMatchObject({ code: 'MEMORY_LIMIT', details: { limit: 150 * 1024 * 1024 } });
  });

  it('ends a server that has too many processes', async () => {
    const toolbox = open('forks_a_daemon.mjs', {}, { python, maxProcessesInTree: 2 });
    const forks = () => toolbox.call('work', { leavesGroup: true });
    await forks();
    // The guard may be faster than the answer.
    await forks().catch(() => {});
    await until(() => toolbox.status().crashes === 1);
  });

  it('that is killed itself takes the server with it', async () => {
    const toolbox = open('answers_with_its_process.mjs', {}, { python });
    const { pid } = JSON.parse(textOf(await toolbox.call('pid', {})));
    process.kill(parentOf(pid), 'SIGKILL');
    await until(() => !isAlive(pid) && toolbox.status().crashes === 1);
    expect(JSON.parse(textOf(await toolbox.call('pid', {}))).pid).not.toBe(pid);
  });
});

describe.skipIf(!hasGuard)('a host that is killed', () => {
  let folder = '';
  let host = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-host-'));
    host = join(folder, 'host.mjs');
    await build({
      stdin: {
        contents: `
          import { createServerToolbox } from './src/client/client.ts';
          const [, , target, python] = process.argv;
          const toolbox = createServerToolbox(JSON.parse(target), { python });
          const { content } = await toolbox.call('work', { leavesGroup: true });
          console.log(content[0].text);
          setInterval(() => {}, 1000);`,
        resolveDir: join(import.meta.dirname, '../..'),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      // The Python part is found beside the code.
      define: { 'import.meta.url': JSON.stringify(import.meta.url) },
      outfile: host,
      logLevel: 'error',
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('leaves nothing of a server behind', async () => {
    const child = spawn(process.execPath, [host, JSON.stringify(commandOf('forks_a_daemon.mjs')), python ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    const { pid, daemon } = JSON.parse(String(line));
    expect([isAlive(pid), isAlive(daemon)]).toEqual([true, true]);
    child.kill('SIGKILL');
    await until(() => !isAlive(pid) && !isAlive(daemon));
  });
});

function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
}
