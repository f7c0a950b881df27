import { expect, it } from 'vitest';
import { fakeOpen, fakeTool } from '../fakes.js';
import { runFake } from './harness.js';

const open = () =>
  fakeOpen({
    tools: ['add', 's3cret_tool'].map((name) => fakeTool(name)),
  });
const suite = { cases: [{ name: 'adds', tool: 'add', tags: ['smoke'] }] };

it('a run of all cases tells which tools none of them called', async () => {
  const { report } = await runFake(suite, open());
  expect(report.outcome).toBe('passed');
  expect(report.suites[0]?.toolCoverage).toEqual({ listed: 2, notCalled: ['[redacted]_tool'] });
});

it.each([{ filter: 'adds' }, { tags: ['smoke'] }, { bail: 1 }])('a run with %j does not', async (options) => {
  const { report } = await runFake(suite, open(), options);
  expect(report.suites[0]?.toolCoverage).toBeUndefined();
});
