import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Report } from '../../src/harness/report.js';
import { toHtml } from '../../src/harness/reports/html.js';
import { caseOf, reportOf, sampleCases, sampleReport, suiteOf } from '../harness/reports/sample.js';
import { browser as executablePath } from './inspector.js';
import { longMs } from './scale.js';

describe.runIf(executablePath)('the HTML report in a browser', { timeout: longMs }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, longMs);
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lists the cases, filters them, and keeps the filter in the address', async () => {
    const { tab, names } = await open(sampleReport());
    expect(await names()).toHaveLength(8);
    await tab.getByRole('button', { name: 'failed' }).first().click();
    expect(await names()).toEqual(['greets by name', 'waits for ever', 'rolls often']);
    expect(await tab.getByRole('status').textContent()).toBe('3 of 8 cases');
    await tab.getByRole('searchbox').fill('ANSWER within');
    expect(await names()).toEqual(['waits for ever']);
    await tab.reload();
    expect(await names()).toEqual(['waits for ever']);
    expect(await tab.getByRole('searchbox').inputValue()).toBe('ANSWER within');
    await tab.getByRole('searchbox').press('Escape');
    await tab.getByRole('button', { name: 'all', exact: false }).first().click();
    await tab.getByLabel('Tag').selectOption('smoke');
    expect(await names()).toEqual(['adds two numbers', 'greets by name']);
    await tab.getByLabel('Tag').selectOption('');
    await tab.getByLabel('Kind').selectOption('check');
    expect(await names()).toEqual(['tools have schemas']);
    await tab.getByLabel('Kind').selectOption('');
    await tab.getByLabel('Order').selectOption('slowest');
    expect((await names()).slice(0, 2)).toEqual(['waits for ever', 'bears load']);
    await tab.getByRole('button', { name: /flaky/ }).first().click();
    expect(await names()).toEqual(['rolls often', 'is steady']);
  });

  it('shows in a failing case the diff, the request, the answer, validators and the last words', async () => {
    const { tab } = await open(sampleReport());
    const row = tab.locator('#list').getByRole('button', { name: /greets by name/ });
    expect(await row.getAttribute('aria-expanded')).toBe('false');
    await row.click();
    expect(await row.getAttribute('aria-expanded')).toBe('true');
    const detail = tab.locator('.case.open .detail');
    expect(await detail.locator('.diff .out').filter({ hasText: 'Hello Anna' }).isVisible()).toBe(true);
    expect(await detail.locator('.diff .line.in').first().textContent()).toContain('Hello Bob');
    expect(await detail.locator('.diff .note').allTextContents()).toEqual([
      '@ $.name\n',
      '@ $.tags[1]\n',
      '@ $.extra\n',
    ]);
    const text = await detail.textContent();
    for (const part of [
      'tools/call greet',
      '"arguments"',
      'Hello Bob\\nHow are you?',
      'looking for Anna',
      'gave Bob',
    ]) {
      expect(text).toContain(part);
    }
    const link = tab.url();
    expect(link).toContain('case=1');
    await tab.reload();
    expect(await tab.locator('.case.open .name').textContent()).toBe('greets by name');
  });

  it('is used by keys alone', async () => {
    const { tab } = await open(sampleReport());
    const focused = () => tab.evaluate('document.activeElement.querySelector(".name")?.textContent');
    await tab.keyboard.press('/');
    expect(await tab.getByRole('searchbox').evaluate((element) => element.matches(':focus'))).toBe(true);
    await tab.keyboard.press('ArrowDown');
    expect(await focused()).toBe('adds two numbers');
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('Enter');
    expect(await tab.locator('.case.open .name').textContent()).toBe('greets by name');
    await tab.keyboard.press('Escape');
    expect(await tab.locator('.case.open').count()).toBe(0);
    await tab.keyboard.press('End');
    expect(await focused()).toBe('bears load');
    await tab.keyboard.press('ArrowUp');
    expect(await focused()).toBe('rolls often');
  });

  it('draws latencies, memory, CPU, slow and repeated cases, and the histogram of a load', async () => {
    const { tab } = await open(sampleReport());
    expect(await tab.locator('aside h3').allTextContents()).toEqual([
      'Server',
      'Latency by tool',
      'Memory of the server',
      'CPU of the server',
      'Slowest cases',
      'Repeated cases',
      'Validators',
      'Notes',
    ]);
    expect(await tab.getByRole('img', { name: /^Memory of the server over time/ }).isVisible()).toBe(true);
    const memory = tab.getByRole('img', { name: /^Memory/ });
    await memory.hover();
    expect(await tab.locator('.readout').first().textContent()).toMatch(/^[\d.]+ MB after [\d.]+ m?s$/);
    await tab.locator('.slowest').getByRole('button', { name: 'bears load' }).click();
    expect(await tab.getByRole('img', { name: /^Calls by how long they took/ }).isVisible()).toBe(true);
    expect(await tab.locator('.case.open').textContent()).toContain('4000 calls by 8 clients');
  });

  it('shows one suite of several with its own measures', async () => {
    const suites = [
      suiteOf({ name: 'first', cases: sampleCases() }),
      suiteOf({ name: 'second', cases: [caseOf({ id: 'alone' })] }),
    ];
    const { tab, names } = await open(reportOf(suites));
    expect(await names()).toHaveLength(9);
    await tab.getByLabel('Suite').selectOption({ label: 'second' });
    expect(await names()).toEqual(['alone']);
    expect(await tab.locator('aside h2').allTextContents()).toEqual(['second']);
  });

  it('follows the colours that the reader prefers', async () => {
    const background = async (colorScheme: 'light' | 'dark') => {
      const { tab } = await open(sampleReport(), { colorScheme });
      return await tab.evaluate('getComputedStyle(document.body).backgroundColor');
    };
    expect(await background('light')).toBe('rgb(246, 247, 249)');
    expect(await background('dark')).toBe('rgb(14, 17, 22)');
  });

  it('says that nothing matches, and shows all again', async () => {
    const { tab, names } = await open(sampleReport());
    expect(await tab.getByText('No case matches.').isVisible()).toBe(false);
    await tab.getByRole('searchbox').fill('nothing of the kind');
    expect(await tab.getByText('No case matches.').isVisible()).toBe(true);
    await tab.getByRole('button', { name: 'Show all' }).click();
    expect(await names()).toHaveLength(8);
    expect(await tab.getByRole('searchbox').inputValue()).toBe('');
  });

  it('shows all filters, and reasons whole, on a telephone', async () => {
    const width = 390;
    const reason =
      'it asks for a person; write client: { elicitation: accept } with what is to be answered, and run it again';
    const many = Array.from({ length: 120 }, (_, index) => caseOf({ id: `case ${index}`, status: 'skipped', reason }));
    const { tab } = await open(sampleReport({ cases: [...many, ...sampleCases()] }), {
      viewport: { width, height: 800 },
    });
    const isCut = (selector: string) =>
      tab
        .locator(selector)
        .evaluateAll(
          (all, right) =>
            all.some((each) => each.getBoundingClientRect().right > right || each.scrollWidth > each.clientWidth + 1),
          width,
        );
    expect(await isCut('.segments, .segments button')).toBe(false);
    expect(await isCut('.said.whole')).toBe(false);
  });

  it('tells of a flaky case what failed before it passed', async () => {
    const { tab } = await open(sampleReport());
    await tab
      .locator('#list')
      .getByRole('button', { name: /is steady/ })
      .click();
    const text = await tab.locator('.case.open .detail').textContent();
    expect(text).toContain('It passed in the end. What failed before:');
    expect(text).toContain('It rolled a six.');
  });

  it('opens the case of another address in the same tab, however far down it is', async () => {
    const cases = Array.from({ length: 1000 }, (_, index) => caseOf({ id: `case ${index}` }));
    const { tab } = await open(reportOf([suiteOf({ cases })]));
    await tab.evaluate("location.hash = 'case=900'");
    await tab.locator('.case.open').waitFor();
    expect(await tab.locator('.case.open .name').textContent()).toBe('case 900');
    expect(await tab.locator('.case.open').isVisible()).toBe(true);
  });

  it('is printed as a whole, in the colours of the day, with failed cases opened', async () => {
    const passed = Array.from({ length: 300 }, (_, index) => caseOf({ id: `case ${index}` }));
    const { tab, names } = await open(reportOf([suiteOf({ cases: [...passed, ...sampleCases()] })]), {
      colorScheme: 'dark',
    });
    await tab.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await tab.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await names()).toHaveLength(308);
    expect(await tab.locator('.case.open .name').allTextContents()).toEqual([
      'greets by name',
      'waits for ever',
      'rolls often',
    ]);
    expect(await tab.getByRole('searchbox').isVisible()).toBe(false);
    expect(await tab.evaluate('getComputedStyle(document.documentElement).getPropertyValue("--text").trim()')).toBe(
      '#1c1f24',
    );
  });

  it('shows text of servers as text, and runs none of it', async () => {
    const bad = '<img src=x onerror="document.title=1"></script><script>document.title=1</script>';
    const cases = [
      caseOf({
        id: bad,
        target: bad,
        tags: [bad],
        status: 'failed',
        stderr: [bad],
        findings: [{ kind: bad, message: bad }],
      }),
    ];
    const { tab, names } = await open(reportOf([suiteOf({ name: bad, cases, notes: [bad] })]));
    expect(await names()).toEqual([bad]);
    await tab.locator('.row').click();
    expect(await tab.locator('.finding .message').textContent()).toBe(bad);
    expect(await tab.locator('img').count()).toBe(0);
    expect(await tab.title()).toContain('test report');
  });

  it('makes rows of ten thousand cases as they are needed', async () => {
    const cases = Array.from({ length: 10_000 }, (_, index) =>
      caseOf({ id: `case ${index}`, response: { text: 'x'.repeat(2000) } }),
    );
    const { tab, names } = await open(reportOf([suiteOf({ cases })]));
    expect((await names()).length).toBeLessThan(500);
    await tab.getByRole('searchbox').fill('case 9999');
    expect(await names()).toEqual(['case 9999']);
  });

  it('is a plain list where scripts are not allowed', async () => {
    const { tab } = await open(sampleReport(), { javaScriptEnabled: false });
    expect(await tab.locator('.plain li').count()).toBe(8);
  });

  /** Whatever a test does, the page asks for nothing and has no error. */
  async function open(
    report: Report,
    options: BrowserContextOptions = {},
  ): Promise<{ tab: Page; names(): Promise<string[]> }> {
    const file = join(folder, 'report.html');
    await writeFile(file, await toHtml(report));
    const context = await browser.newContext(options);
    const tab = await context.newPage();
    const asked: string[] = [];
    const wrong: string[] = [];
    tab.on('request', (request) => asked.push(request.url().split('#')[0] ?? ''));
    tab.on('console', (message) => wrong.push(message.text()));
    tab.on('pageerror', (error) => wrong.push(error.message));
    onTestFinished(async () => {
      await context.close();
      expect(wrong).toEqual([]);
      expect(new Set(asked)).toEqual(new Set([pathToFileURL(file).href]));
    });
    await tab.goto(pathToFileURL(file).href);
    return { tab, names: () => tab.locator('#list .name').allTextContents() };
  }
});
