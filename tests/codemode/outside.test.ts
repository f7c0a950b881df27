import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { findPython } from '../../src/python/interpreter.js';
import { folderWith } from '../engine/harness.js';

const root = join(import.meta.dirname, '..', '..');
const command = join(root, 'dist', 'bin', 'mcp-exec.js');
const shop =
  'def order(item: str, count: int = 1) -> dict:\n    """Orders."""\n    return {"item": item, "count": count}\n';

describe('A script under plain Python', () => {
  it('calls tools through a host that it starts, and which ends with it', async () => {
    const folder = folderWithShop(`import asyncio, os, subprocess
from mcp_execution import ToolError, call_tool, call_tool_async, search_tools
async def main():
    return await asyncio.gather(*(call_tool_async("shop", "order", {"item": str(i)}) for i in range(5)))
print(call_tool("shop", "order", {"item": "tea"}))
print([answer["item"] for answer in asyncio.run(main())])
print([found["tool"] for found in search_tools("order")])
try: call_tool("shop", "oder")
except ToolError as error: print(error.code)
`);
    const { stdout, stderr, exitCode } = await runPlain(folder);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout.split('\n')).toEqual([
      "{'item': 'tea', 'count': 1}",
      "['0', '1', '2', '3', '4']",
      "['order']",
      'UNKNOWN_TOOL',
      '',
    ]);
  }, 60_000);

  it('is told what is wrong with the config, as the error of each call', async () => {
    const folder = folderWith({ 'script.py': 'from mcp_execution import call_tool\ncall_tool("shop", "order")' });
    writeFileSync(join(folder, '.mcp.json'), '{ "mcpServers": ');
    const { stderr, exitCode } = await runPlain(folder);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/ToolError: .*\.mcp\.json, line 1/);
  }, 60_000);

  it('is told how to get the host where there is none', async () => {
    const folder = folderWith({ 'script.py': 'from mcp_execution import call_tool\ncall_tool("shop", "order")' });
    const { stderr } = await runPlain(folder, { MCP_EXECUTION_COMMAND: '', PATH: '/nowhere' });
    expect(stderr).toContain('Tools are called by mcp-exec, which is not on the PATH; install it with npm install');
  }, 60_000);
});

function folderWithShop(script: string): string {
  const folder = folderWith({ 'shop.py': shop, 'script.py': script });
  const servers = { shop: { command: process.execPath, args: [command, 'serve', 'shop.py'] } };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  return folder;
}

async function runPlain(folder: string, changes: NodeJS.ProcessEnv = {}) {
  const { executable } = await findPython();
  const child = spawn(executable, ['script.py'], {
    cwd: folder,
    env: {
      ...process.env,
      PYTHONPATH: join(root, 'python'),
      MCP_EXECUTION_COMMAND: `${process.execPath} ${command}`,
      ...changes,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, exitCode: child.exitCode };
}
