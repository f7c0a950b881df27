import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Report } from '../../../src/harness/report.js';
import { createTerminalReport, type TerminalReportOptions } from '../../../src/harness/reports/terminal.js';
import { anyReport } from './arbitrary.js';
import { caseOf, reportOf, sampleReport, suiteOf } from './sample.js';

const clearLine = '\r\u001b[K';

describe('the report in a log', () => {
  it('has a line for each case as it ends, in plain words', () => {
    const { lines } = tell(sampleReport());
    expect(lines.slice(0, 9)).toEqual([
      'demo server  tests/suite.yaml, 8 cases',
      '  ok      adds two numbers  12 ms',
      '  FAILED  greets by name  31 ms  The text is not the one expected.',
      '  FAILED  waits for ever  2.2 s  all 3 tries failed  There was no answer within 2 s.',
      '  flaky   is steady  80 ms  passed at try 2',
      '  skipped needs a key  no key here',
      '  ok      tools have schemas  3 ms',
      '  FAILED  rolls often  400 ms  3 of 20 runs failed  The answer took 91 ms; at most 50 ms were allowed.',
      '  ok      bears load  1.5 s  4000 calls by 8 clients in 1.5 s: 2667 per second, 2 failed; p50 2.1 ms, p95 8.4 ms, p99 16 ms, most 41 ms',
    ]);
  });

  it('shows a failure with its place, a diff, and the last words of the server', () => {
    const { text } = tell(sampleReport());
    expect(text).toContain(`
1) greets by name  tests/suite.yaml:12
   tools/call greet · answered in 4.3 ms
   The text is not the one expected.
     - Hello Anna
     + Hello Bob
       How are you?
       Bye
   The field has another value.
   at $.structuredContent.user
     $.name
     - "Anna"
     + "Bob"
     $.tags[1]
     - "b"
     $.extra
     + true
   The server wrote at last:
     | WARN asked for Anna
     | gave Bob
`);
  });

  it('shows beneath what a validator says the answer that it looked at', () => {
    const response = { content: [{ type: 'text', text: '3' }], _meta: { 'mcp-execution/figures': { wallMs: 1 } } };
    const findings = [{ kind: 'validator', message: 'assert data() == 4: 3 == 4', file: 'check.py', line: 1 }];
    const { text } = tell(
      reportOf([suiteOf({ cases: [caseOf({ id: 'adds', status: 'failed', findings, response })] })]),
    );
    expect(text).toContain(`
1) adds  tests/suite.yaml
   tool
   assert data() == 4: 3 == 4
   in check.py:1
   The answer:
     | {"content":[{"type":"text","text":"3"}]}
`);
  });

  it('tells of crashes, flaky and slow cases, latencies and snapshots', () => {
    const { text } = tell(sampleReport());
    expect(text).toContain('The server ended unasked during waits for ever: It ended with exit code 1.\n');
    expect(text).toContain(
      'Flaky:\n  is steady  passed at try 2\n    It rolled a six.\n  rolls often  3 of 20 runs failed\n',
    );
    expect(text).toContain('Slowest:\n  waits for ever  2.2 s\n');
    expect(text).toContain(
      'tool   calls  failed     p50     p95    p99\nadd     4001       2  2.1 ms  8.4 ms  16 ms\n',
    );
    expect(text).toContain('p50 2.1 ms.\n2 of 5 tools were not called: count, wait\n\n');
    expect(text).toContain('1 snapshot written.\n1 snapshot no longer used: old case 1\n');
  });

  it('tells of crashes and of lines on standard output once, where a failed case does', () => {
    const told = (kinds: readonly string[]) => {
      const findings = kinds.map((kind) => ({ kind, message: `It is a ${kind}.` }));
      const behaves = caseOf({ id: 'the server behaves', kind: 'server', status: 'failed', findings });
      const { text } = tell(sampleReport({ cases: [behaves] }));
      return ['The server ended unasked', 'Lines on standard output'].map((words) => text.includes(words));
    };
    expect(told([])).toEqual([true, true]);
    expect(told(['crash'])).toEqual([false, true]);
    expect(told(['crash', 'stdout'])).toEqual([false, false]);
  });

  it('ends with how many passed, failed and were skipped', () => {
    expect(tell(sampleReport()).lines.at(-1)).toBe('4 passed (1 flaky), 3 failed (1 flaky), 1 skipped in 3.2 s');
    const passed = reportOf([suiteOf({ cases: [caseOf({ id: 'a' })] })]);
    expect(tell(passed).lines.at(-1)).toBe('1 passed in 3.2 s');
    expect(tell({ ...passed, outcome: 'interrupted' }).lines.at(-1)).toBe('1 passed in 3.2 s, interrupted');
    expect(tell(reportOf([])).lines.at(-1)).toBe('no cases in 3.2 s');
  });

  it('lets no text of a server command the terminal, or the machine that runs the job', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const { text } = tell(report);
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
        expect(text).not.toMatch(/^\s*::/m);
        expect(text).not.toContain('##[');
      }),
      { numRuns: 50 },
    );
  });

  it('shows so many failures as anybody reads, and counts the others', () => {
    const cases = Array.from({ length: 300 }, (_, index) => caseOf({ id: `case ${index}`, status: 'failed' }));
    const { text } = tell(reportOf([suiteOf({ cases })]));
    expect(text).toContain('50) case 49');
    expect(text).not.toContain('51) case 50');
    expect(text).toContain('250 more cases failed; --json and --html tell of all.');
  });

  it('colours only where colours are wanted', () => {
    const { text } = tell(sampleReport(), { colours: true });
    expect(text).toContain('\u001b[32m- Hello Anna');
    expect(stripVTControlCharacters(text)).toBe(tell(sampleReport()).text);
  });
});

describe('the report on a terminal', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('draws progress in one line again and again, and takes it away at the end', () => {
    const { report, written } = watched({ columns: 60 });
    report.onEvent({ type: 'suite-started', file: 'a.yaml', name: 'demo', cases: 3 });
    report.onEvent({ type: 'case-started', id: 'one' });
    report.onEvent({ type: 'case-started', id: 'two' });
    vi.advanceTimersByTime(1200);
    expect(written.join('')).toContain(`${clearLine}demo  0/3  1.2 s  one, two`);
    report.onEvent({ type: 'case-finished', report: caseOf({ id: 'one' }) });
    vi.advanceTimersByTime(100);
    expect(written.at(-1)).toBe(`${clearLine}demo  1/3  1.3 s  two`);
    const count = written.length;
    report.finish(reportOf([]));
    expect(written[count]).toBe(clearLine);
    vi.advanceTimersByTime(1000);
    expect(written).toHaveLength(count + 2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lists what failed at once, and what passed only when asked for', () => {
    const { report, written } = watched({});
    report.onEvent({ type: 'suite-started', file: 'a.yaml', name: 'demo', cases: 2 });
    report.onEvent({ type: 'case-finished', report: caseOf({ id: 'good' }) });
    report.onEvent({ type: 'case-finished', report: caseOf({ id: 'bad', status: 'failed' }) });
    report.end();
    expect(written.join('')).toContain('  ✕ bad');
    expect(written.join('')).not.toContain('✓ good');
    const { report: all, written: more } = watched({ verbose: true });
    all.onEvent({ type: 'suite-started', file: 'a.yaml', name: 'demo', cases: 1 });
    const logs = [{ level: 'info', message: 'looked twice' }];
    const validators = [{ name: 'check.py', phase: 'after' as const, passed: true, message: 'fine', logs }];
    all.onEvent({ type: 'case-finished', report: caseOf({ id: 'good', validators }) });
    all.onEvent({ type: 'note', message: 'a note\nof two lines' });
    all.end();
    expect(more.join('')).toContain('  ✓ good  12 ms\n');
    expect(more.join('')).toContain('      check.py, after the answer, passed: fine\n      [info] looked twice\n');
    expect(more.join('')).toContain('  a note\n  of two lines\n');
  });

  it('cuts what a failed case says to the width, as all of it follows at the end', () => {
    const lineOf = (columns: number, id = 'bad') => {
      const { report, written } = watched({ columns });
      const findings = [{ kind: 'text', message: 'The text is another one than was expected here.' }];
      report.onEvent({ type: 'case-finished', report: caseOf({ id, status: 'failed', findings }) });
      return written.join('');
    };
    expect(lineOf(80)).toBe('  ✕ bad  12 ms  The text is another one than was expected here.\n');
    expect(lineOf(40)).toBe('  ✕ bad  12 ms  The text is another on…\n');
    expect(lineOf(24)).toBe('  ✕ bad  12 ms\n');
    expect(lineOf(40, 'a name that is longer than all of the terminal')).toContain('all of the terminal  12 ms\n');
  });

  it('counts checks, of which nobody knows before how many there are, as they begin', () => {
    const { report, written } = watched({ columns: 60 });
    report.onEvent({ type: 'suite-started', file: 'a.yaml', name: 'demo', cases: 1 });
    report.onEvent({ type: 'case-finished', report: caseOf({ id: 'one' }) });
    report.onEvent({ type: 'case-started', id: 'check: schemas' });
    vi.advanceTimersByTime(100);
    expect(written.at(-1)).toBe(`${clearLine}demo  1/2  100 ms  check: schemas`);
    report.end();
  });

  it('never draws a line that is wider than the terminal', () => {
    const { report, written } = watched({ columns: 40 });
    report.onEvent({ type: 'suite-started', file: 'a.yaml', name: '説明'.repeat(30), cases: 3 });
    vi.advanceTimersByTime(100);
    report.end();
    const line = written.find((text) => text.startsWith(clearLine) && text.length > clearLine.length) ?? '';
    expect(line.slice(clearLine.length)).toBe(`${'説明'.repeat(9)}説…`);
  });
});

function tell(
  report: Report,
  options: Partial<TerminalReportOptions> = {},
): { text: string; lines: readonly string[] } {
  const written: string[] = [];
  const told = createTerminalReport({
    write: (text) => written.push(text),
    isTerminal: false,
    columns: 100,
    ...options,
  });
  for (const suite of report.suites) {
    told.onEvent({ type: 'suite-started', file: suite.file, name: suite.name, cases: suite.cases.length });
    for (const each of suite.cases) told.onEvent({ type: 'case-finished', report: each });
    told.onEvent({ type: 'suite-finished', report: suite });
  }
  told.finish(report);
  const text = written.join('');
  return { text, lines: text.trimEnd().split('\n') };
}

function watched(options: Partial<TerminalReportOptions>) {
  const written: string[] = [];
  const report = createTerminalReport({ write: (text) => written.push(text), isTerminal: true, ...options });
  return { report, written };
}
