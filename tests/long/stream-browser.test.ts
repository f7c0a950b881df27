import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browser as executablePath } from './inspector.js';
import { servePage, startWire } from './pages.js';
import { longMs } from './scale.js';
import { counted, startCounting } from './streams.js';

interface Heard {
  readonly events: readonly { readonly data?: string; readonly result?: object; readonly error?: object }[];
  readonly errors: number;
}

const call = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe.runIf(executablePath)('a stream in a browser, by plain EventSource', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, longMs);

  afterAll(async () => {
    await browser?.close();
  });

  it('brings output and result to a page of an allowed origin, and stops after once', { timeout: longMs }, async () => {
    const origin = await servePage();
    const { url } = await startCounting({ settings: { corsOrigins: [origin] } });
    const tab = await openPage(origin);
    await begin(tab, url, '?once');
    expect(await post(tab, call('count', { to: 5 }))).toBe(202);
    await tab.waitForFunction('window.source.readyState === EventSource.CLOSED');
    const { events } = await heard(tab);
    expect(linesOf(events)).toEqual(counted(5));
    expect(events.at(-1)).toHaveProperty('result');
  });

  it('comes back by itself when the connection breaks, and loses nothing', { timeout: longMs }, async () => {
    const origin = await servePage();
    const { url } = await startCounting({ settings: { corsOrigins: [origin] } });
    const wire = await startWire(url);
    const tab = await openPage(origin);
    await begin(tab, wire.url, '');
    await post(tab, call('count', { to: 400, pause: 0.01 }));
    for (const line of [20, 120]) {
      await tab.waitForFunction(`window.heard.events.some(({ data }) => Number(data) > ${line})`);
      wire.cut();
    }
    await tab.waitForFunction(`window.heard.events.some(({ result }) => result)`, undefined, { timeout: 60_000 });
    const { events, errors } = await heard(tab);
    expect(linesOf(events)).toEqual(counted(400));
    expect(errors).toBeGreaterThanOrEqual(2);
  });

  it('tells a page of a failure as an event called error', { timeout: longMs }, async () => {
    const origin = await servePage();
    const { url } = await startCounting({ settings: { corsOrigins: [origin] } });
    const tab = await openPage(origin);
    await begin(tab, url, '?once');
    await post(tab, call('nothing', {}));
    await tab.waitForFunction('window.heard.events.length > 0');
    expect((await heard(tab)).events[0]).toMatchObject({ error: { data: { code: 'UNKNOWN_TOOL' } } });
  });

  it('brings nothing to a page of another origin', { timeout: longMs }, async () => {
    const [allowed, foreign] = [await servePage(), await servePage()];
    const { url } = await startCounting({ settings: { corsOrigins: [allowed] } });
    const tab = await openPage(foreign);
    await tab.evaluate(`window.begin(${JSON.stringify(url)}, '')`);
    await tab.waitForFunction('window.source.readyState === EventSource.CLOSED');
    expect(await tab.evaluate('typeof window.post')).toBe('undefined');
  });

  async function openPage(origin: string): Promise<Page> {
    const tab = await browser.newPage();
    await tab.goto(origin, { waitUntil: 'domcontentloaded' });
    return tab;
  }
});

async function begin(tab: Page, gateway: string, query: string): Promise<void> {
  await tab.evaluate(`window.begin(${JSON.stringify(gateway)}, ${JSON.stringify(query)})`);
  await tab.waitForFunction('window.post !== undefined');
}

async function post(tab: Page, message: object): Promise<unknown> {
  return tab.evaluate(`window.post(${JSON.stringify(message)})`);
}

async function heard(tab: Page): Promise<Heard> {
  return JSON.parse(String(await tab.evaluate('JSON.stringify(window.heard)'))) as Heard;
}

function linesOf(events: Heard['events']): string[] {
  return events.flatMap(({ data }) => (data === undefined ? [] : [data]));
}
