import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { FailureTally } from '../../../src/harness/load/failure-tally.js';
import { type LoadInput, runLoad } from '../../../src/harness/load/load.js';
import { caseReportSchema, type Finding } from '../../../src/harness/report.js';
import { caseSchema, type LoadSpec } from '../../../src/harness/suite/schema.js';
import type { Exchange } from '../../../src/testedserver.js';
import { fails, fakeOpen, fakeOpenEach, fakeShared, fakeTool, says, silence } from '../fakes.js';

const echo = fakeTool('echo');

type Given = Partial<Omit<LoadInput, 'spec'>> & { readonly load: object };

async function load({ load: said, open = fakeOpen({ tools: [echo] }), ...more }: Given) {
  return runLoad({
    spec: specOf(said),
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'a' } },
    open,
    server: fakeShared(open),
    isShared: true,
    judge,
    timeoutMs: 2000,
    ...more,
  });
}

function specOf(said: object): LoadSpec {
  const { load: spec } = caseSchema.parse({ name: 'load', tool: 'echo', load: said });
  if (!spec) throw new Error('no load');
  return spec;
}

/** As the default expectation: no error. */
async function judge({ outcome }: Exchange): Promise<readonly Finding[]> {
  if (outcome.kind === 'none') return [{ kind: 'no_answer', message: outcome.message }];
  const isError = outcome.kind === 'error' || outcome.result.isError === true;
  return isError ? [{ kind: 'error', message: 'It said that it failed.' }] : [];
}

const messagesOf = ({ findings }: { readonly findings: readonly Finding[] }) => findings.map(({ message }) => message);

describe('a load by count', () => {
  it('makes exactly that many calls, and those for warming up beside them', async () => {
    const open = fakeOpen({ tools: [echo] });
    const ticks: number[] = [];
    const { report, findings } = await load({
      load: { clients: 4, count: 50, warmup: 3 },
      open,
      onTick: (done) => ticks.push(done),
    });
    expect(report).toMatchObject({ clients: 4, calls: 50, errors: 0, failures: [] });
    expect(report.latency.count).toBe(50);
    expect(report.ratePerSecond).toBeGreaterThan(0);
    expect(findings).toEqual([]);
    expect(open.servers).toHaveLength(1);
    expect(open.servers[0]?.requests).toHaveLength(50 + 4 * 3);
    expect(ticks).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(caseReportSchema.shape.load.parse(report)).toEqual(report);
  });

  it('has as many calls under way as there are clients, and no more', async () => {
    let atOnce = 0;
    let most = 0;
    const call = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return says('done');
    };
    await load({ load: { clients: 5, count: 40 }, open: fakeOpen({ tools: [echo], call }) });
    expect(most).toBe(5);
  });

  it('gives each client a server of its own where they do not share one, and closes them', async () => {
    const open = fakeOpen({ tools: [echo] });
    const { report } = await load({ load: { clients: 20, count: 40 }, open, isShared: false });
    expect(report.calls).toBe(40);
    expect(open.servers).toHaveLength(20);
    expect(open.servers.every(({ isOver }) => isOver)).toBe(true);
  });

  it('starts no hundred processes', async () => {
    const open = fakeOpen({ tools: [echo], pid: 1 });
    const { report, findings } = await load({ load: { clients: 100, count: 100 }, open, isShared: false });
    expect(report.calls).toBe(0);
    expect(findings).toMatchObject([{ message: expect.stringContaining('at most 64 are started'), actual: 100 }]);
    expect(open.servers).toMatchObject([{ isOver: true }]);
  });

  it('opens a hundred sessions with a process that they share', async () => {
    const open = fakeOpen({ tools: [echo], pid: 1, served: { process: {}, isShared: true } });
    const { report, findings } = await load({ load: { clients: 100, count: 100 }, open, isShared: false });
    expect([report.calls, findings]).toEqual([100, []]);
  });
});

describe('a load by duration', () => {
  it('goes on until the time is over', async () => {
    const call = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return says('done');
    };
    const open = fakeOpen({ tools: [echo], call });
    const { report } = await load({ load: { clients: 2, duration: 50 }, open });
    expect(report.durationMs).toBeGreaterThanOrEqual(50);
    expect(report.calls).toBeGreaterThan(2);
  });

  it('is over when the run is ended', async () => {
    const controller = new AbortController();
    const open = fakeOpen({ tools: [echo], call: silence });
    const running = load({ load: { clients: 2, duration: '1h' }, open, signal: controller.signal });
    await expect.poll(() => open.servers[0]?.requests.length).toBe(2);
    controller.abort();
    expect((await running).report).toMatchObject({ calls: 0, errors: 0 });
  });
});

describe('budgets of a load', () => {
  it('are told where they are not kept', async () => {
    const call = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return says('done');
    };
    const open = fakeOpen({ tools: [echo], call });
    const spec = { clients: 1, count: 3, p50: 0.001, p95: 0.001, p99: 0.001, rate: 1e9 };
    expect(messagesOf(await load({ load: spec, open }))).toEqual([
      expect.stringMatching(/^The median is [\d.]+ ms; at most 0.001 ms passes\.$/),
      expect.stringMatching(/^The 95th percentile is [\d.]+ ms; at most 0.001 ms passes\.$/),
      expect.stringMatching(/^The 99th percentile is [\d.]+ ms; at most 0.001 ms passes\.$/),
      expect.stringMatching(/^[\d.]+ calls per second were answered; at least 1000000000 pass\.$/),
    ]);
    expect(messagesOf(await load({ load: { count: 3, p50: '1h', p99: '1h', rate: 0.001 } }))).toEqual([]);
  });

  it('bear as many failures as are allowed', async () => {
    let calls = 0;
    const open = fakeOpen({ tools: [echo], call: () => (calls++ % 10 === 0 ? fails('no') : says('yes')) });
    expect(messagesOf(await load({ load: { count: 100, errors: 10 }, open }))).toEqual([]);
    const { report, findings } = await load({ load: { count: 100 }, open });
    expect(report.failures).toEqual([{ message: 'It said that it failed.', count: 10 }]);
    expect(findings).toMatchObject([
      { kind: 'load', message: '10 of 100 calls failed; none may.', detail: '10 times: It said that it failed.' },
    ]);
  });

  it('count calls that are not answered in time', async () => {
    const open = fakeOpen({ tools: [echo], call: silence });
    const { report } = await load({ load: { clients: 2, count: 2 }, open, timeoutMs: 20 });
    expect(report).toMatchObject({ calls: 2, errors: 2, latency: { count: 2 } });
    expect(report.failures).toEqual([{ message: 'The MCP server did not answer within 20 ms', count: 2 }]);
  });
});

describe('a server that ends under load', () => {
  const dyingAt = (fatal: number) => {
    let calls = 0;
    return fakeOpenEach(() => ({
      tools: [echo],
      call: async (_name, _args, { server }) => {
        calls += 1;
        if (calls % fatal === 0) server.die();
        await new Promise((resolve) => setImmediate(resolve));
        return says('done');
      },
    }));
  };

  it('is started again, and told', async () => {
    const open = dyingAt(20);
    const { report, findings } = await load({ load: { clients: 2, count: 30, errors: 30 }, open });
    expect(report.calls).toBe(30);
    expect(report.errors).toBeGreaterThan(0);
    expect(findings).toEqual([
      { kind: 'server', message: 'The server ended once under load. The MCP server died with exit code 1.' },
    ]);
    expect(open.servers).toHaveLength(2);
  });

  it('is told where it ends with the last call', async () => {
    const { findings } = await load({ load: { clients: 1, count: 5, errors: 5 }, open: dyingAt(5) });
    expect(findings).toMatchObject([{ kind: 'server', message: expect.stringContaining('ended once') }]);
  });

  it('is given up after a few times', async () => {
    const open = dyingAt(1);
    const { report, findings } = await load({ load: { clients: 1, count: 1000 }, open });
    expect(report).toMatchObject({ calls: 4, errors: 4, latency: { count: 0 } });
    expect(open.servers).toHaveLength(4);
    expect(messagesOf({ findings })).toEqual([
      'The server ended 4 times under load. The MCP server died with exit code 1.',
      'The server could not be had any more. It ended 4 times under load and is not started again.',
      '4 of 4 calls failed; none may.',
    ]);
  });

  it('is told where it cannot be had at all', async () => {
    const open = () => Promise.reject(new HostError('SERVER_FAILED', 'The command none was not found'));
    for (const isShared of [true, false]) {
      const { report, findings } = await load({ load: { clients: 2, count: 10 }, open, isShared });
      expect(report.calls).toBe(0);
      expect(findings).toMatchObject([{ kind: 'server', message: expect.stringContaining('was not found.') }]);
    }
  });
});

describe('a tally of failures', () => {
  it('counts messages that differ in numbers alone as the same, and keeps the most frequent', () => {
    const tally = new FailureTally();
    for (let call = 0; call < 30; call += 1) tally.add([{ kind: 'latency', message: `It took ${call}.5 ms.` }]);
    for (const letter of 'abcdefgh') tally.add([{ kind: 'text', message: `It says ${letter}.` }]);
    tally.add([]);
    expect(tally.calls).toBe(38);
    expect(tally.mostFrequent()).toHaveLength(5);
    expect(tally.mostFrequent()[0]).toEqual({ message: 'It took 0.5 ms.', count: 30 });
  });

  it('is bounded', () => {
    const tally = new FailureTally();
    const word = (number: number) => number.toString(36).replace(/\d/g, 'z');
    for (let call = 0; call < 2000; call += 1) tally.add([{ kind: 'text', message: word(call).repeat(500) }]);
    expect(tally.calls).toBe(2000);
    expect(tally.mostFrequent().every(({ message }) => message.length <= 301)).toBe(true);
  });
});
