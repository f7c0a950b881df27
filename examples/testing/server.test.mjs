import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { formatReport, runSuite } from 'mcp-execution';

const report = await runSuite(join(import.meta.dirname, 'suite.yaml'), { parallel: 2 });
const [suite] = report.suites;

describe('the server of Roman numerals', () => {
  for (const { id, status, findings } of suite.cases) {
    test(id, { skip: status === 'skipped' }, () => assert.deepEqual(findings, []));
  }

  test('passes as a whole', async () => {
    assert.equal(report.outcome, 'passed', await formatReport(report, 'text'));
  });

  test('was asked often enough to be measured', () => {
    for (const { calls, latency } of suite.measures.tools) assert.ok(calls >= 4 && latency.p95Ms > 0);
  });
});
