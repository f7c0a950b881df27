import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { CaseReport } from '../../../src/harness/report.js';
import { toJunit } from '../../../src/harness/reports/junit.js';
import { anyReport } from './arbitrary.js';
import { caseOf, findingOf, reportOf, sampleReport, suiteOf } from './sample.js';

const schema = await readFile(join(import.meta.dirname, '../jenkins-junit.xsd'), 'utf8');

describe('a JUnit report', () => {
  it('validates against the schema of Jenkins', async () => {
    expect(await mistakesIn(toJunit(sampleReport()), toJunit(reportOf([])))).toEqual([]);
  });

  it('validates whatever servers and suites say', async () => {
    const reports = fc.sample(anyReport, 60).map(toJunit);
    expect(await mistakesIn(...reports)).toEqual([]);
  });

  it('is not valid where the schema says so, so that the schema is a test', async () => {
    expect(await mistakesIn('<testsuites><testcase name="a"/></testsuites>')).not.toEqual([]);
    expect(await mistakesIn(toJunit(sampleReport()).replaceAll(' type="no_answer.TIMEOUT"', ''))).not.toEqual([]);
  });

  it('tells failures with what was expected and what came', () => {
    const text = xmlOf(
      caseOf({
        id: 'greets',
        line: 12,
        status: 'failed',
        findings: [findingOf({ kind: 'text', message: 'It is another text.', expected: 'a < b', actual: 'a > b' })],
      }),
    );
    expect(text).toContain('<testcase name="greets" classname="demo server" time="0.012">');
    expect(text).toContain('<failure message="It is another text." type="text">tests/suite.yaml:12\n');
    expect(text).toContain('\n- a &lt; b\n+ a &gt; b</failure>');
  });

  it.each([
    ['no answer', { kind: 'no_answer', code: 'TIMEOUT', message: 'No answer.' }],
    ['a server that is gone', { kind: 'server', message: 'It ended.' }],
    ['a validator that raised an exception', { kind: 'validator', code: 'EXCEPTION', message: 'KeyError' }],
  ])('counts %s as an error and not as a failure', (_, finding) => {
    const text = xmlOf(caseOf({ id: 'breaks', status: 'failed', findings: [finding] }));
    expect(text).toContain('<testsuite name="demo server" tests="1" failures="0" errors="1" skipped="0"');
    expect(text).toContain('<error message=');
    expect(text).not.toContain('<failure');
  });

  it('counts what a validator says as a failure', () => {
    const text = xmlOf(caseOf({ id: 'a', status: 'failed', findings: [{ kind: 'validator', message: 'no Anna' }] }));
    expect(text).toContain('failures="1" errors="0"');
  });

  it('shows the answer that a validator failed of', () => {
    const findings = [{ kind: 'validator', message: 'no Anna' }];
    const text = xmlOf(caseOf({ id: 'a', status: 'failed', findings, response: { name: 'Bob' } }));
    expect(text).toContain('no Anna\n\nThe answer:\n  {"name":"Bob"}</failure>');
  });

  it('puts cases into classes that are no packages, and are not those of other suites', () => {
    const suites = [
      suiteOf({ name: 'shop v1.2', cases: [caseOf({ id: 'a' })] }),
      suiteOf({ name: 'suite', file: 'shop/suite.yaml', cases: [caseOf({ id: 'b' })] }),
      suiteOf({ name: 'suite', file: 'bank.eu/suite.yaml', cases: [caseOf({ id: 'c' })] }),
    ];
    const classes = [...toJunit(reportOf(suites)).matchAll(/classname="([^"]*)"/g)].map(([, name]) => name);
    expect(classes).toEqual(['shop v1_2', 'shop/suite', 'bank_eu/suite']);
  });

  it('says why a case was skipped', () => {
    expect(xmlOf(caseOf({ id: 'a', status: 'skipped', reason: 'no "key"' }))).toContain(
      '<skipped message="no &quot;key&quot;"/>',
    );
  });

  it('tells tries that failed before one that passed as flaky, and the others as reruns', () => {
    const flaky = xmlOf(caseOf({ id: 'a', isFlaky: true, attempts: 3 }));
    expect(flaky.match(/<flakyFailure /g)).toHaveLength(2);
    expect(flaky).not.toContain('<failure');
    const known = xmlOf(
      caseOf({ id: 'a', isFlaky: true, attempts: 2, earlierFindings: [{ kind: 'text', message: 'Six.' }] }),
    );
    expect(known).toMatch(/<flakyFailure message="Six\." type="text">\s*<stackTrace>[^<]*passed at try 2\s+Six\.</);
    const failed = xmlOf(
      caseOf({ id: 'a', status: 'failed', attempts: 3, findings: [{ kind: 'text', message: 'No.' }] }),
    );
    expect(failed.match(/<rerunFailure /g)).toHaveLength(2);
    expect(failed.match(/<failure /g)).toHaveLength(1);
  });

  it('holds what validators logged, captured values, load and the last words of the server', () => {
    const text = toJunit(sampleReport());
    expect(text).toContain('<system-out>sum = 3</system-out>');
    expect(text).toContain('[info] looking for Anna');
    expect(text).toContain('4000 calls by 8 clients in 1.5 s: 2667 per second, 2 failed');
    expect(text).toContain('<system-err>WARN asked for Anna\ngave Bob</system-err>');
    expect(text).toContain('<property name="server.protocol" value="2025-11-25"/>');
    expect(text).toContain('During waits for ever: It ended with exit code 1.');
  });

  it('writes what XML cannot hold in digits', () => {
    const text = xmlOf(caseOf({ id: 'a\u0000b\u001b[31m\ud800\uffff', status: 'skipped' }));
    expect(text).toContain('name="a\\u0000b\\u001b[31m\\ud800\\uffff"');
  });

  it('is bounded, however much a server wrote', () => {
    const stderr = Array.from({ length: 1000 }, () => 'x'.repeat(1000));
    expect(xmlOf(caseOf({ id: 'a', status: 'failed', stderr })).length).toBeLessThan(70_000);
  });
});

function xmlOf(...cases: readonly CaseReport[]): string {
  return toJunit(reportOf([suiteOf({ cases })]));
}

async function mistakesIn(...documents: readonly string[]): Promise<readonly string[]> {
  const xml = documents.map((contents, index) => ({ fileName: `report-${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema, maxMemoryPages: 4096 });
  return errors.map(({ rawMessage }) => rawMessage);
}
