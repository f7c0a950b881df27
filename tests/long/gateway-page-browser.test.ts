import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from '../engine/harness.js';
import { startGateway } from '../gateway/gateway-process.js';
import { readPage } from '../page.js';
import { browser as executablePath } from './inspector.js';
import { longMs } from './scale.js';

describe.runIf(executablePath)('the web page that the page on the gateway shows', () => {
  it('says what the call prints, then its result', { timeout: longMs }, async () => {
    const { files } = await readPage('docs/gateway.md');
    const folder = folderWith(Object.fromEntries(files));
    let html = '';
    const origin = await serve(() => html);
    const { url } = await startGateway([join(folder, 'shop.py'), '--cors-origins', origin]);
    html = (await shownHtml()).replace('http://127.0.0.1:8080', url);

    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    onTestFinished(() => browser.close());
    const tab = await browser.newPage();
    const said: unknown[] = [];
    const isOver = new Promise<void>((resolve) => {
      tab.on('console', async (message) => {
        said.push(await message.args()[0]?.jsonValue());
        if (said.length === 4) resolve();
      });
    });
    await tab.goto(origin);
    await isOver;
    const lines = ['packing box 1 of 3', 'packing box 2 of 3', 'packing box 3 of 3'];
    expect(said).toEqual([...lines, { ink: 13, paper: 120 }]);
  });
});

async function shownHtml(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../docs/gateway.md'), 'utf8');
  return /^```html\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '';
}

async function serve(html: () => string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
