import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { folderWith, processesLeft } from '../engine/harness.js';
import { browser as executablePath, inspector, type Page, startPage } from './inspector.js';
import { longMs } from './scale.js';

const port = 47_801;

describe.runIf(inspector && executablePath)("Inspector's page in a browser", () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    page = await startPage(port, folderWith({}));
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, longMs);

  afterAll(async () => {
    await browser?.close();
    await page?.close();
    await vi.waitFor(() => expect(processesLeft()).toEqual([]), 10_000);
  });

  it('connects, lists the tools, calls one, and shows its progress and its result', { timeout: longMs }, async () => {
    const tab = await browser.newPage();
    await tab.goto(page.url, { waitUntil: 'domcontentloaded' });
    await tab.getByRole('switch', { name: /Connect or disconnect/ }).click({ force: true });
    await tab.getByText('Connected', { exact: true }).waitFor();
    await tab.getByText('Tools', { exact: true }).first().click();
    await tab.getByRole('button', { name: /greet/ }).waitFor();
    await tab.getByRole('button', { name: /count_down/ }).click();
    await tab.getByRole('button', { name: 'Execute Tool' }).click();
    await tab
      .getByText(/step \d+/)
      .first()
      .waitFor();
    await tab.getByText('lift-off').first().waitFor({ timeout: 60_000 });
  });
});
