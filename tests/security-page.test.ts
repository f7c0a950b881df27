import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const text = await readFile(join(root, 'docs/security.md'), 'utf8');
const sessions = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, session = '']) => session);
const run = promisify(execFile);
let home: string;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'mcp-execution-page-')));
  await mkdir(join(home, 'tools'));
  await writeFile(join(home, 'tools/peek.py'), /^```python\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '');
  await mkdir(join(home, 'bin'));
  await symlink(join(root, 'dist/bin/mcp-exec.js'), join(home, 'bin/mcp-exec'));
});

afterAll(() => rm(home, { recursive: true, force: true }));

describe.runIf(process.platform === 'linux')('the page on security', () => {
  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    async (_first, session) => {
      const commands = session.split('\n').filter((line) => line.startsWith('$ '));
      const script = commands.map((line) => `echo ${quoted(line)}\n${line.slice(2)}\n`).join('');
      const { stdout } = await run('bash', ['-c', script], {
        cwd: home,
        env: { ...process.env, PATH: `${join(home, 'bin')}:${process.env.PATH}` },
      });
      expect(withoutMachine(stdout.replaceAll(home, '/home/ada'))).toBe(withoutMachine(session));
    },
  );
});

function quoted(line: string): string {
  return `'${line.replaceAll("'", "'\\''")}'`;
}

/** Machines without namespaces refuse the same with other words of the kernel's, and count less as enforced. */
function withoutMachine(output: string): string {
  return output
    .replace(/\[Errno (2|13|30)\] [A-Z][A-Za-z -]+(?=: '\/home)/g, '[refused]')
    .replace(/"(processes|disk)": "best-effort"/g, '"$1": "enforced"');
}
