import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../engine/harness.js';
import { listen } from '../gateway/stream/listener.js';
import { openStream } from '../gateway/stream/streaming.js';
import { nginx, startProxy } from './nginx.js';
import { longMs } from './scale.js';
import { counted, heardBy, startCounting } from './streams.js';

describe.runIf(nginx !== '')('a stream behind nginx', () => {
  it('brings each line when it is written, although the proxy buffers by default', { timeout: longMs }, async () => {
    const { url } = await startCounting({});
    const proxy = await startProxy(url);
    const { call, listener, answer } = await openStream(proxy.url);
    const file = join(folderWith({}), 'go');
    await call(1, 'wait_for', { path: file });
    await listener.next((event) => event.data.includes('waiting'));
    writeFileSync(file, '');
    expect(await answer(1)).toHaveProperty('result');
  });

  it('brings the lines of a plain call with Accept: text/event-stream as well', { timeout: longMs }, async () => {
    const { url } = await startCounting({});
    const proxy = await startProxy(url);
    const file = join(folderWith({}), 'go');
    const listener = await listen(`${proxy.url}/api/v1/services/demo/tools/wait_for`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: file }),
    });
    await listener.next((event) => event.data.includes('waiting'));
    writeFileSync(file, '');
    await listener.next(({ event }) => event === 'result');
    await listener.closed;
  });

  it('outlasts the time after which the proxy cuts silent answers', { timeout: longMs }, async () => {
    const { url } = await startCounting({ settings: { heartbeatMs: 200 } });
    const proxy = await startProxy(url, '1s');
    const { call, listener, answer } = await openStream(proxy.url);
    await listener.commented(20);
    await call(1, 'count', { to: 3 });
    await answer(1);
    expect(heardBy([listener])).toEqual(counted(3));
  });

  it('loses nothing when the proxy is restarted in the middle of a call', { timeout: longMs }, async () => {
    const { url } = await startCounting({});
    const proxy = await startProxy(url);
    const client = await openStream(proxy.url);
    await client.call(1, 'count', { to: 300, pause: 0.005 });
    await client.listener.next((event) => event.data.includes('"20"'));
    await proxy.stop();
    await client.listener.closed;
    await proxy.start();
    const again = await client.reconnect();
    await again.next((event) => event.data.includes('"result"'));
    expect(heardBy([client.listener, again])).toEqual(counted(300));
  });
});
