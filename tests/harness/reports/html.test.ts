import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHtml } from '../../../src/harness/reports/html.js';
import { anyReport } from './arbitrary.js';
import { caseOf, reportOf, sampleReport, suiteOf } from './sample.js';

describe('the HTML report', () => {
  it('permits itself nothing but its own script and style', async () => {
    const html = await toHtml(sampleReport());
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? '';
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    const script = scriptOf(html);
    expect(policy).toBe(
      `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`,
    );
    expect(() => new Script(script)).not.toThrow();
    expect(html).not.toMatch(/(?:src|href)=/);
  });

  it('keeps its data as JSON that can be read back, one piece per case', async () => {
    const html = await toHtml(sampleReport());
    const index = JSON.parse(/id="report">([^<]*)</.exec(html)?.[1] ?? '');
    expect(index.cases).toHaveLength(8);
    const detail = JSON.parse(/id="case-1">([^<]*)</.exec(html)?.[1] ?? '');
    expect(detail.findings[0]).toContainEqual(['out', 'Hello Anna']);
    expect(detail.response).toContain('"Hello Bob\\nHow are you?\\nBye"');
    const flaky = JSON.parse(/id="case-3">([^<]*)</.exec(html)?.[1] ?? '');
    expect(flaky.earlier).toEqual([expect.arrayContaining([['message', 'It rolled a six.']])]);
  });

  it('has reasons whole, tools that no case called, and answers without what calls took', async () => {
    const reason = `it cannot be tried; write ${'x'.repeat(900)}`;
    const response = { a: 1, _meta: { 'mcp-execution/figures': {} } };
    const html = await toHtml(sampleReport({ cases: [caseOf({ id: 'a', status: 'skipped', reason, response })] }));
    const index = JSON.parse(/id="report">([^<]*)</.exec(html)?.[1] ?? '');
    expect(index.cases[0].said).toBe(reason);
    expect(index.suites[0].notes).toContain('2 of 5 tools were not called: count, wait');
    expect(JSON.parse(/id="case-0">([^<]*)</.exec(html)?.[1] ?? '').response).toBe('{\n  "a": 1\n}');
  });

  it('is made of the same elements, whatever servers say', async () => {
    await fc.assert(
      fc.asyncProperty(anyReport, async (report) => {
        const html = await toHtml(report);
        const cases = report.suites.flatMap((suite) => suite.cases);
        expect(html.match(/<script/g)).toHaveLength(2 + cases.length);
        expect(html.match(/<\/script/g)).toHaveLength(2 + cases.length);
        expect(html).not.toContain('<!--');
        const inside = /<noscript>([\s\S]*?)<\/noscript>/.exec(html)?.[1] ?? '';
        expect(inside.replace(/<\/?(?:main|h1|ul|li|pre|p)(?: class="plain")?>/g, '')).not.toMatch(/[<>]/);
      }),
      { numRuns: 40 },
    );
  });

  it('tells a reader without scripts what failed, before all else', async () => {
    const html = await toHtml(sampleReport());
    const inside = /<noscript>([\s\S]*?)<\/noscript>/.exec(html)?.[1] ?? '';
    expect(inside).toContain('<h1>4 passed (1 flaky), 3 failed (1 flaky), 1 skipped in 3.2 s</h1>');
    expect(inside).toContain(
      '<li>failed: greets by name (31 ms, tests/suite.yaml:12)<pre>The text is not the one expected.',
    );
    expect(inside.indexOf('rolls often')).toBeLessThan(inside.indexOf('adds two numbers'));
  });

  it('stays small enough to be opened, however much servers answered', async () => {
    const filler = 'x'.repeat(64_000);
    const passed = Array.from({ length: 400 }, (_, index) => caseOf({ id: `case ${index}`, response: [filler] }));
    const failed = caseOf({ id: 'bad', status: 'failed', response: [`${filler}, the end`] });
    const html = await toHtml(reportOf([suiteOf({ cases: [...passed, failed] })]));
    expect(html.length).toBeLessThan(20_000_000);
    expect(html.includes('the end')).toBe(true);
  });
});

function scriptOf(html: string): string {
  return /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '';
}

function hashOf(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
