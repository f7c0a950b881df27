import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const examples = await readdir(join(root, 'examples'));

/** Each page shows commands with the output they really have; a command without output is only run. */
describe.each(['.', ...examples.map((name) => join('examples', name))])('the page of %s', async (folder) => {
  const text = await readFile(join(root, folder, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```console\n\$ mcp-exec (.*)\n([\s\S]*?)^```$/gm)];

  it('shows at least one command', () => {
    expect(blocks.length).toBeGreaterThan(0);
  });

  it.each(blocks.map(([, command = '', output = '']) => [command, output]))(
    'is right about mcp-exec %s',
    async (command, output) => {
      const bin = join(root, 'dist/bin/mcp-exec.js');
      const { stdout } = await run('bash', ['-c', `{ "${process.execPath}" "${bin}" ${command}; } 2>&1`], {
        cwd: root,
      });
      if (output !== '') expect(stdout).toBe(output);
    },
  );
});
