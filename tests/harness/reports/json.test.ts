import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../../src/harness/report.js';
import { toJson } from '../../../src/harness/reports/json.js';
import type { JsonValue } from '../../../src/toolbox.js';
import { anyReport } from './arbitrary.js';
import { caseOf, reportOf, sampleReport, suiteOf } from './sample.js';

describe('a JSON report', () => {
  it('has the form of its schema, and says all that the report says', () => {
    const read: unknown = JSON.parse(toJson(sampleReport()));
    expect(reportSchema.parse(read)).toEqual(sampleReport());
  });

  it('is the same text for the same report, and nothing in it commands a terminal', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const text = toJson(report);
        expect(toJson(JSON.parse(text))).toBe(text);
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: 30 },
    );
  });

  it('is written even where an answer is nested by the thousand', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const report = reportOf([suiteOf({ cases: [caseOf({ id: 'deep', response: deep })] })]);
    expect(toJson(report)).toContain('nested more deeply');
  });
});
