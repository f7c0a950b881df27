import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toGithub, toGithubSummary } from '../../../src/harness/reports/github.js';
import { anyReport } from './arbitrary.js';
import { caseOf, reportOf, sampleCases, sampleReport, suiteOf } from './sample.js';

describe('annotations for GitHub', () => {
  it('name the place of a failed case, with what was expected and what came', () => {
    const [first] = toGithub(sampleReport()).split('\n');
    expect(first).toBe(
      '::error file=tests/suite.yaml,line=12,col=5,title=demo server%3A greets by name::' +
        'The text is not the one expected.%0A- Hello Anna%0A+ Hello Bob%0A  How are you?%0A  Bye%0A' +
        'The field has another value.%0Aat $.structuredContent.user%0A@ $.name%0A- "Anna"%0A+ "Bob"%0A' +
        '@ $.tags[1]%0A- "b"%0A@ $.extra%0A+ true',
    );
  });

  it('show the answer that a validator failed of', () => {
    const findings = [{ kind: 'validator', message: 'no Anna' }];
    const cases = [caseOf({ id: 'a', status: 'failed', findings, response: { name: 'Bob' } })];
    const report = reportOf([suiteOf({ cases, server: quiet })]);
    expect(toGithub(report)).toContain('::no Anna%0AThe answer:%0A  {"name":"Bob"}\n');
    expect(toGithubSummary(report)).toContain('no Anna\nThe answer:\n  {"name":"Bob"}\n');
  });

  it('warn of flaky cases and of crashes', () => {
    const text = toGithub(sampleReport());
    expect(text).toContain(
      '::warning file=tests/suite.yaml,line=40,title=demo server%3A is steady::It is flaky: passed at try 2.%0AIt rolled a six.%0A- 5%0A+ 6\n',
    );
    expect(text).toContain('title=The server ended unasked::During waits for ever: It ended with exit code 1.\n');
  });

  it('tell of a crash once, where a failed case does', () => {
    const findings = [{ kind: 'crash', message: 'It ended with exit code 1.' }];
    const cases = [...sampleCases(), caseOf({ id: 'the server behaves', kind: 'server', status: 'failed', findings })];
    const report = sampleReport({ cases });
    for (const text of [toGithub(report), toGithubSummary(report)]) {
      expect(text).toContain('the server behaves');
      expect(text).not.toContain('ended unasked');
    }
  });

  it('are none of a run that passed', () => {
    expect(toGithub(reportOf([suiteOf({ cases: [caseOf({ id: 'a' })], server: quiet })]))).toBe('');
  });

  it('give paths from the top of the checkout', () => {
    const report = reportOf([
      suiteOf({ file: '../suite.yaml', cases: [caseOf({ id: 'a', status: 'failed' })], server: quiet }),
    ]);
    expect(toGithub(report, { workspace: '/checkout', cwd: '/checkout/tests/deep' })).toContain(
      'file=tests/suite.yaml,',
    );
    expect(toGithub(report, { workspace: '/elsewhere', cwd: '/checkout/tests' })).toContain('file=../suite.yaml,');
  });

  it('are one command in each line, whatever servers say', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const lines = toGithub(report).split(/[\r\n]/);
        expect(lines.pop()).toBe('');
        for (const line of lines) expect(line).toMatch(/^::(?:error|warning)(?: [^:]*)?::/);
      }),
      { numRuns: 50 },
    );
  });

  it('are no more than anybody reads', () => {
    const cases = Array.from({ length: 500 }, (_, index) => caseOf({ id: `case ${index}`, status: 'failed' }));
    const lines = toGithub(reportOf([suiteOf({ cases, server: quiet })]))
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe('::error::450 more cases failed; the log and the other reports have them.');
  });
});

describe('the summary for GitHub', () => {
  it('has totals, failures that can be opened, flaky cases and latencies', () => {
    const text = toGithubSummary(sampleReport());
    expect(text).toContain('## ❌ 4 passed (1 flaky), 3 failed (1 flaky), 1 skipped in 3.2 s');
    expect(text).toContain('<details><summary>❌ <b>greets by name</b>');
    expect(text).toContain('\n- Hello Anna\n+ Hello Bob\n');
    expect(text).toContain('| rolls often | 3 of 20 runs failed |');
    expect(text).toContain('| is steady | passed at try 2 | It rolled a six&#46; |');
    expect(text).toContain('| add | 4001 | 2&#46;1 ms |');
    expect(text).toContain('2 of 5 tools were not called&#58; count, wait');
  });

  it('says of each of several suites what is of it', () => {
    const suites = ['shop', 'b<an>k'].map((name) => suiteOf({ name, cases: [caseOf({ id: 'a' })] }));
    const headings = (text: string) => [...text.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
    expect(headings(toGithubSummary(reportOf(suites)))).toEqual(['shop', 'b&#60;an&#62;k']);
    expect(headings(toGithubSummary(sampleReport()))).toEqual([]);
  });

  it('keeps text of servers out of its markup', () => {
    const cases = [
      caseOf({ id: '<img src=x> | [a](b)', status: 'failed', findings: [{ kind: 'text', message: '```\n<b>' }] }),
    ];
    const text = toGithubSummary(reportOf([suiteOf({ cases })]));
    expect(text).toContain('<b>&#60;img src=x&#62; &#124; &#91;a&#93;(b)</b>');
    expect(text).toContain('````diff\n``` <b>\n````');
  });

  it('stays within what GitHub takes', () => {
    const detail = 'x'.repeat(300);
    const cases = Array.from({ length: 90 }, (_, index) =>
      caseOf({
        id: `case ${index}`,
        status: 'failed',
        findings: [{ kind: 'text', message: 'No.', detail: `${detail}\n`.repeat(40) }],
      }),
    );
    const suites = Array.from({ length: 5 }, () => suiteOf({ cases }));
    const text = toGithubSummary(reportOf(suites));
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).toContain('More did not fit');
  });
});

const quiet = { kind: 'command', shown: 'node a.js', starts: 1, crashes: [], noise: [] } as const;
