import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApp } from '../harness.js';

const bodyTimeoutMs = 100;
const head = 'POST /echo HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n';
const whole = `${head}content-length: 9\r\n\r\n{"a":"b"}`;

describe('a request', () => {
  it('that came while the gateway was held up is answered, however long that took', async () => {
    const socket = await connectToEcho();
    socket.write(whole);
    holdUp();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*"a":"b"/s);
  });

  it('whose first part came while the gateway was held up has time for the other', async () => {
    const socket = await connectToEcho();
    socket.write(whole.slice(0, -5));
    holdUp();
    setImmediate(() => setImmediate(() => socket.write(whole.slice(-5))));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('of which only a part came is given up, whether the gateway was held up or not', async () => {
    const parts = ['', whole.slice(0, 20), whole.slice(0, -5)];
    const sockets = await Promise.all(parts.map(connectToEcho));
    for (const [index, part] of parts.entries()) sockets[index]?.write(part);
    holdUp();
    const answers = await Promise.all(sockets.map((socket) => text(socket)));
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(parts.map(() => 'HTTP/1.1 408'));
  });
});

async function connectToEcho(): Promise<Socket> {
  let taken: () => void = () => {};
  const isTaken = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const { url } = await startApp(
    [
      (app) => {
        app.server.once('connection', taken);
        app.post('/echo', (request, reply) => reply.send(request.body));
      },
    ],
    { settings: { bodyTimeoutMs } },
  );
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await Promise.all([once(socket, 'connect'), isTaken]);
  return socket.on('error', () => {});
}

/** Nothing is read and no timer runs until well after the time that a request has. */
function holdUp(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2.5 * bodyTimeoutMs);
}
