import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsMcpServer, isMcpServer } from '../../src/services/mcp-server-script.js';
import { folderWith } from '../engine/harness.js';

describe('a Python file', () => {
  it.each([
    'from mcp.server.fastmcp import FastMCP',
    'import asyncio\nimport mcp.server.stdio as stdio',
    'import asyncio, mcp.server.stdio',
    'from fastmcp import FastMCP, Context',
    'from fastmcp.server import auth',
    'from mcp import (\n    types,  # of the protocol\n    MCPServer,\n)',
    'from mcp import server',
    'def main():\n    from mcp.server import Server',
    'import os; from mcp.server import Server',
    'import mcp\nserver = mcp.server.Server("x")',
    'import os, fastmcp\napp = fastmcp.FastMCP()',
    '"""It\'s said."""\nfrom mcp.server import Server',
    "# it's one\nfrom mcp.server import Server",
  ])('is an MCP server by %j', (source) => {
    expect(importsMcpServer(source)).toBe(true);
  });

  it.each([
    'from mcp import ClientSession, StdioServerParameters',
    'from mcp.client.stdio import stdio_client',
    'from fastmcp import Client',
    'import mcp\nsession = mcp.ClientSession()',
    'from mcp_execution import Context',
    'from mcp.server_side import x',
    '"""\nfrom mcp.server import Server\n"""',
    "text = '''\nfrom mcp.server import Server\n'''",
    '# from mcp.server import Server',
    'text = "\\\nfrom mcp"',
    '"""never ends\nfrom mcp.server import Server',
  ])('is none by %j', (source) => {
    expect(importsMcpServer(source)).toBe(false);
  });

  it('is read from the disk, and none where there is none', () => {
    const folder = folderWith({ 'a.py': 'from mcp.server import Server\n' });
    expect(['a.py', 'b.py', '.'].map((name) => isMcpServer(join(folder, name)))).toEqual([true, false, false]);
  });
});
