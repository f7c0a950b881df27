import { createInterface } from 'node:readline';

/** JSON-RPC by hand: each method is a function of (params, id), and what it returns is the result. */
export function serve(methods = {}) {
  const known = {
    initialize: introduce,
    ping: () => ({}),
    'tools/list': () => ({ tools: [tool('work'), tool('pid')] }),
    ...methods,
  };
  const lines = createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = await known[method]?.(params ?? {}, id);
    if (id !== undefined && result !== undefined) answer(id, result);
    else if (id !== undefined && !(method in known))
      write({ id, error: { code: -32601, message: 'Method not found' } });
  });
  lines.on('close', () => {
    if (!methods.staysOpen) process.exit(0);
  });
}

export function introduce({ protocolVersion }) {
  return {
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'raw', version: '1' },
  };
}

export function answer(id, result) {
  write({ id, result });
}

export function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

export function text(value) {
  return { content: [{ type: 'text', text: String(value) }] };
}

export function tool(name) {
  return { name, inputSchema: { type: 'object' } };
}
