import { describe, expect, it } from 'vitest';
import { type FakeRequest, fakeOpen, fakeTool, says, silence } from '../fakes.js';
import { runFake } from './harness.js';

const tools = [fakeTool('work'), fakeTool('tidy')];
const tidies = [{ name: 'tidies', tool: 'tidy' }];

describe('A run that is interrupted', () => {
  it('still cleans up, after the case that was under way and after the suite', async () => {
    const { controller, open, called } = interruptedIn('work');
    const suite = { cases: [{ name: 'works', tool: 'work', teardown: tidies }], teardown: tidies };
    const { report, statuses } = await runFake(suite, open, { signal: controller.signal });
    expect(called).toEqual(['work', 'tidy', 'tidy']);
    expect(statuses).toEqual({ works: 'skipped' });
    expect(report).toMatchObject({ outcome: 'interrupted', totals: { failed: 0 } });
  });

  it('does not wait long for a server that cleans up no more', async () => {
    const { controller, open } = interruptedIn('work', () => silence());
    const suite = { cases: [{ name: 'works', tool: 'work' }], teardown: [{ tool: 'tidy', timeout: 50 }] };
    const { findingsOf } = await runFake(suite, open, { signal: controller.signal });
    expect(findingsOf('teardown')).toEqual([expect.stringContaining('did not answer')]);
  });

  it('while the server starts is no failure of the server', async () => {
    const controller = new AbortController();
    const starting = async () => {
      controller.abort();
      throw new Error('The call was cancelled');
    };
    const cases = [{ name: 'works', tool: 'work' }];
    const { statuses, caseOf } = await runFake({ cases }, starting, { signal: controller.signal });
    expect(statuses).toEqual({ works: 'skipped' });
    expect(caseOf('works').reason).toBe('the run was interrupted');
  });

  it('in the setup of the suite is no failure of the setup', async () => {
    const { controller, open, called } = interruptedIn('work');
    const suite = { setup: [{ tool: 'work' }], cases: [{ name: 'tidies', tool: 'tidy' }], teardown: tidies };
    const { statuses } = await runFake(suite, open, { signal: controller.signal });
    expect(statuses).toEqual({ tidies: 'skipped' });
    expect(called).toEqual(['work', 'tidy']);
  });
});

/** A server whose tool is interrupted by whoever runs the suite, as by Ctrl-C. */
function interruptedIn(
  interrupted: string,
  otherwise: (request: FakeRequest) => ReturnType<typeof silence> | ReturnType<typeof says> = () => says('done'),
) {
  const controller = new AbortController();
  const called: string[] = [];
  const open = fakeOpen({
    tools,
    call: (name, _args, request) => {
      called.push(name);
      if (name !== interrupted) return otherwise(request);
      controller.abort();
      return silence();
    },
  });
  return { controller, open, called };
}
