import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A page that uses a stream as any page would, with the EventSource of its browser. */
const page = `<!doctype html><meta charset="utf-8"><title>A stream</title><script>
  window.heard = { events: [], errors: 0 };
  window.begin = (gateway, query) => {
    const source = window.source = new EventSource(gateway + '/api/v1/stream/demo' + query);
    source.addEventListener('stream', (event) => {
      window.post = (message) => fetch(gateway + JSON.parse(event.data).post, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      }).then((answer) => answer.status);
    });
    source.onmessage = (event) => window.heard.events.push(JSON.parse(event.data));
    source.addEventListener('error', (event) => {
      if (event.data) window.heard.events.push(JSON.parse(event.data));
      else window.heard.errors += 1;
    });
  };
</script>`;

/** Serves the page; gives its origin. */
export async function servePage(): Promise<string> {
  const server = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Wire {
  readonly url: string;
  /** Breaks every connection; new ones pass. */
  cut(): void;
}

/** What stands between a browser and a gateway, and can break. */
export async function startWire(upstream: string): Promise<Wire> {
  const { port, hostname } = new URL(upstream);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    return socket;
  };
  const server = createServer((near) => {
    const far = keep(connect(Number(port), hostname));
    keep(near).pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    cut();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut };
}
