import { resolve } from 'node:path';
import { type Contender, checkAnswer, sizes } from './contenders/contender.js';
import { createHttpContender, type HttpServer } from './contenders/http.js';
import type { McpCall } from './contenders/mcp.js';

/** The names by which targets find their contender. */
export const bareServer = 'the official SDK alone, a tool in JavaScript';
export const gatewayCall = 'mcp-exec gateway, a process per call';
export const gatewayShared = 'mcp-exec gateway, one shared process';
export const supergateway = 'supergateway, stateless';

const node = process.execPath;
const command = resolve('dist', 'bin', 'mcp-exec.js');
const scripts = resolve('bench', 'python');
const stdioServer = resolve('bench', 'servers', 'stdio.mjs');

const bare: HttpServer = {
  name: bareServer,
  file: node,
  args: (port) => [resolve('bench', 'servers', 'bare.mjs'), String(port)],
  path: '/mcp',
};

function gateway(name: string, flags: readonly string[] = [], service = 'toolkit'): HttpServer {
  return {
    name,
    file: node,
    args: (port) => [command, 'gateway', resolve(scripts, `${service}.py`), '--port', String(port), ...flags],
    path: `/api/v1/mcp/${service}`,
  };
}

/** The bridges that were installed for this run; none is asked for where it could not be. */
function bridges(): HttpServer[] {
  const { BENCH_SUPERGATEWAY: bridge, BENCH_MCP_PROXY: proxy } = process.env;
  const found: HttpServer[] = [];
  if (bridge) {
    found.push({
      name: supergateway,
      file: node,
      args: (port) => [
        bridge,
        ...['--stdio', `${node} ${stdioServer}`, '--outputTransport', 'streamableHttp'],
        ...['--port', String(port), '--logLevel', 'none'],
      ],
      path: '/mcp',
    });
  }
  if (proxy) {
    found.push({
      name: 'mcp-proxy, one child for all',
      file: proxy,
      args: (port) => ['--port', String(port), '--pass-environment', '--log-level', 'ERROR', node, stdioServer],
      path: '/mcp',
    });
  }
  return found;
}

/** A quick tool over HTTP, the bare server first. */
export async function httpContenders(): Promise<Contender[]> {
  const strict = gateway('mcp-exec gateway, strict', ['--profile', 'strict']);
  const ours = [gateway(gatewayCall), strict, gateway(gatewayShared, ['--isolation', 'shared'])];
  return createAll([bare, ...ours, ...bridges()], quickCalls());
}

/** A tool that takes 200 ms. */
export async function slowContenders(): Promise<Contender[]> {
  return createAll([bare, gateway(gatewayCall, [], 'waits'), ...bridges()], () => ({
    tool: 'wait',
    args: { seconds: 0.2 },
    check: (result) => checkAnswer(resultIn(result), 0.2),
  }));
}

async function createAll(servers: readonly HttpServer[], nextCall: () => McpCall): Promise<Contender[]> {
  const made: Contender[] = [];
  try {
    for (const server of servers) {
      const size = server.name === supergateway || nextCall().tool === 'wait' ? sizes.heavyFresh : sizes.forked;
      made.push(await createHttpContender(server, size, nextCall));
    }
    return made;
  } catch (error) {
    await Promise.all(made.map((contender) => contender.close()));
    throw error;
  }
}

function quickCalls(): () => McpCall {
  let calls = 0;
  return () => {
    const a = ++calls;
    return { tool: 'add', args: { a, b: 1 }, check: (result) => checkAnswer(resultIn(result), a + 1) };
  };
}

function resultIn(result: object): unknown {
  const { structuredContent } = result as { structuredContent?: { result?: unknown } };
  return structuredContent?.result;
}
