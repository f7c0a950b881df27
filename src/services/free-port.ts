import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that were given and may not be listened at yet. */
const given: number[] = [];
const mostRemembered = 1000;

/** A port of this machine that nobody listens at, and that was not given to somebody else a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await portNow();
    if (given.includes(port)) continue;
    if (given.push(port) > mostRemembered) given.shift();
    return port;
  }
}

async function portNow(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : portNow();
}
