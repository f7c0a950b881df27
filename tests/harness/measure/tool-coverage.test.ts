import { describe, expect, it } from 'vitest';
import { toolCoverageOf } from '../../../src/harness/measure/tool-coverage.js';
import { notCalledLine } from '../../../src/harness/reports/tools-not-called.js';
import { caseOf, percentiles } from '../reports/sample.js';

const listed = ['add', 'count', 'wait', 'greet'].map((name) => ({ name, inputSchema: { type: 'object' } as const }));
const measures = { tools: [{ tool: 'add', calls: 1, failures: 0, latency: percentiles(1) }] };

describe('the coverage of tools', () => {
  it('names those that no case called, whether by name, by load or by method', () => {
    const cases = [
      caseOf({ id: 'load', target: 'wait' }),
      caseOf({ id: 'raw', kind: 'request', request: { method: 'tools/call', params: { name: 'greet' } } }),
      caseOf({ id: 'left out', target: 'count', status: 'skipped', runs: 0 }),
    ];
    expect(toolCoverageOf(listed, cases, measures)).toEqual({ listed: 4, notCalled: ['count'] });
    expect(toolCoverageOf(listed, [], measures)).toEqual({ listed: 4, notCalled: ['count', 'greet', 'wait'] });
  });

  it('is not told of a suite that calls no tool, or whose tools nobody asked for', () => {
    expect(toolCoverageOf(listed, [caseOf({ id: 'a', kind: 'resource' })], { tools: [] })).toBeUndefined();
    expect(toolCoverageOf([], [], measures)).toBeUndefined();
  });

  it('is one line, and none where all were called', () => {
    expect(notCalledLine({ listed: 2, notCalled: ['a'] })).toEqual(['1 of 2 tools was not called: a']);
    expect(notCalledLine({ listed: 2, notCalled: [] })).toEqual([]);
    const many = Array.from({ length: 30 }, (_, index) => `t${index}\u001b[31m`);
    expect(notCalledLine({ listed: 30, notCalled: many })[0]).toMatch(/^30 of 30 tools were not called: t0\\u001b/);
    expect(notCalledLine({ listed: 30, notCalled: many })[0]).toMatch(/ and 20 more$/);
  });
});
