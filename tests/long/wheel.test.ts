import { execFile } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findPython } from '../../src/python/interpreter.js';
import { folderWith } from '../engine/harness.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const command = join(root, 'dist', 'bin', 'mcp-exec.js');

describe('The wheel of python/', () => {
  it('needs nothing but Python, and calls tools from an environment of its own', async () => {
    const folder = folderWith({ 'shop.py': 'def order(item: str) -> str:\n    return f"one {item}"\n' });
    cpSync(join(root, 'python'), join(folder, 'source'), { recursive: true });
    const { executable } = await findPython();
    await run(executable, [
      '-m',
      'pip',
      'wheel',
      join(folder, 'source'),
      '--no-deps',
      '-q',
      '-w',
      join(folder, 'wheels'),
    ]);
    const [wheel = ''] = readdirSync(join(folder, 'wheels'));
    expect(wheel).toMatch(/^mcp_execution-.*-py3-none-any\.whl$/);
    await run(executable, ['-m', 'venv', join(folder, 'environment')]);
    const python = join(folder, 'environment', 'bin', 'python');
    await run(python, [
      '-m',
      'pip',
      'install',
      '-q',
      '--no-index',
      '--find-links',
      join(folder, 'wheels'),
      'mcp-execution',
    ]);
    const servers = { shop: { command: process.execPath, args: [command, 'serve', 'shop.py'] } };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
    writeFileSync(join(folder, 'script.py'), 'from servers.shop import order\nprint(order("tea"))\n');
    const env = { ...process.env, MCP_EXECUTION_COMMAND: `${process.execPath} ${command}` };
    await run(process.execPath, [command, 'generate'], { cwd: folder, env });
    const { stdout } = await run(python, ['script.py'], { cwd: folder, env });
    expect(stdout).toBe("{'result': 'one tea'}\n");
  }, 120_000);
});
