import { describe, expect, it } from 'vitest';
import { fakeOpen, fakeTool, rpcError } from '../fakes.js';
import { runFake } from './harness.js';

const builtIns = { checks: { schemas: true, large: false, stdout: true }, conformance: true } as const;

describe('Checks and conformance', () => {
  it('are skipped with the reason where the server cannot be started, as cases are', async () => {
    const open = async () => Promise.reject(new Error('no such program'));
    const { statuses, caseOf } = await runFake({ ...builtIns, cases: [{ name: 'one', tool: 'work' }] }, open);
    expect(statuses).toEqual({
      'the server starts': 'failed',
      one: 'skipped',
      'check: schemas': 'skipped',
      conformance: 'skipped',
    });
    expect(caseOf('check: schemas')).toMatchObject({ kind: 'check', tags: ['check'], reason: caseOf('one').reason });
    expect(caseOf('conformance')).toMatchObject({ kind: 'conformance', reason: 'the server could not be started' });
  });

  it('are skipped with the reason where the setup of the suite failed', async () => {
    const open = fakeOpen({ tools: [fakeTool('work')], call: () => rpcError(-32000, 'no') });
    const { caseOf } = await runFake({ ...builtIns, setup: [{ tool: 'work' }] }, open);
    expect(caseOf('check: schemas').reason).toBe('the setup of the suite failed');
  });

  it('are skipped with the reason where the run is ended after failures before them', async () => {
    const open = fakeOpen({ tools: [fakeTool('work')], call: () => rpcError(-32000, 'no') });
    const { caseOf } = await runFake({ ...builtIns, cases: [{ name: 'one', tool: 'work' }] }, open, { bail: 1 });
    expect(caseOf('check: schemas').reason).toContain('--bail');
    expect(caseOf('conformance').reason).toContain('--bail');
  });

  it('are left out where the choice leaves them out, whatever became of the server', async () => {
    const open = async () => Promise.reject(new Error('no such program'));
    const cases = [{ name: 'one', tool: 'work' }];
    const { statuses } = await runFake({ ...builtIns, cases }, open, { filter: 'one' });
    expect(statuses).toEqual({ 'the server starts': 'failed', one: 'skipped' });
  });
});
