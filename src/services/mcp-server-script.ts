import { closeSync, openSync, readSync } from 'node:fs';

const mostBytes = 256 * 1024;

/** Whether a Python file is an MCP server by itself, so that serving its functions would be serving something else. */
export function isMcpServer(file: string): boolean {
  const source = beginningOf(file);
  return source !== undefined && importsMcpServer(source);
}

/** Comments, and texts of one line or of many. What stands in them is no import. */
const unread = /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(?:\1|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const serverModule = /(?:^|;)[ \t]*(?:from[ \t]+|import[ \t]+(?:[\w., \t]*[, \t])?)(?:mcp|fastmcp)\.server(?!\w)/m;
const namesOfPackage = /(?:^|;)[ \t]*from[ \t]+(?:mcp|fastmcp)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]*)/gm;
const wholePackage = /(?:^|;)[ \t]*import[ \t]+(?:[\w., \t]*[, \t])?(mcp|fastmcp)(?![\w.])/gm;
const serverName = /\b(?:FastMCP|MCPServer|Server|ServerSession|stdio_server|server)\b/;

/** By its imports, wherever they stand. A script that is a client of servers imports other parts of the same packages. */
export function importsMcpServer(source: string): boolean {
  const code = source.replace(unread, (text) => (text.startsWith('#') ? '' : '""'));
  if (serverModule.test(code)) return true;
  if ([...code.matchAll(namesOfPackage)].some(([, names = '']) => serverName.test(names))) return true;
  return [...code.matchAll(wholePackage)].some(([, name]) =>
    new RegExp(`\\b${name}\\.(?:FastMCP|MCPServer|server|stdio_server)\\b`).test(code),
  );
}

/** The command that starts it. */
export function pythonWords(file: string): readonly [string, string] {
  return [process.platform === 'win32' ? 'python' : 'python3', file];
}

function beginningOf(file: string): string | undefined {
  try {
    const opened = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(mostBytes);
      return bytes.toString('utf8', 0, readSync(opened, bytes, 0, mostBytes, 0));
    } finally {
      closeSync(opened);
    }
  } catch {
    // Whoever starts the script says better what is wrong with the file.
    return undefined;
  }
}
