import { describe, expect, it } from 'vitest';
import { createStartRate } from '../../../src/codemode/execute/start-rate.js';
import { askMethods } from '../../../src/codemode/script-runner.js';
import { ExecutionError } from '../../../src/errors.js';
import { caught, openScene } from './scene.js';

/** Scripts that wait until they are let go or ended. */
function gate() {
  const begun: string[] = [];
  const waiting = new Map<string, () => void>();
  const followers = new Set<() => void>();
  return {
    begun,
    go: (name: string) => waiting.get(name)?.(),
    script: ({ work, signal }: { work: { source: string }; signal: AbortSignal }) =>
      new Promise<null>((resolve, reject) => {
        begun.push(work.source);
        waiting.set(work.source, () => resolve(null));
        const cancelled = () => reject(new ExecutionError('CANCELLED', 'The call was cancelled'));
        if (signal.aborted) cancelled();
        signal.addEventListener('abort', cancelled);
        for (const follow of followers) follow();
      }),
    until: (count: number) =>
      new Promise<void>((resolve) => {
        const check = () => begun.length >= count && resolve();
        followers.add(check);
        check();
      }),
  };
}

describe('the rate of runs', () => {
  it('is so many in any minute; one more is told when to come again', () => {
    let time = 0;
    const rate = createStartRate(2, () => time);
    rate.take();
    time = 20_000;
    rate.take();
    time = 30_000;
    expect(() => rate.take()).toThrow(
      expect.objectContaining({ code: 'TOO_MANY_REQUESTS', details: { limit: 2, retryAfterMs: 30_000 } }),
    );
    time = 60_000;
    rate.take();
    expect(() => rate.take()).toThrow(/the next can be in 20 s/);
  });

  it('holds for runs, and not for what was refused before', async () => {
    const { run } = await openScene(async () => null, { settings: { runsPerMinute: 2 } });
    await expect(run({ script: '' })).rejects.toMatchObject({ code: 'INVALID_SCRIPT' });
    await run();
    await run();
    await expect(run()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  });
});

describe('runs at once', () => {
  it('are as many as are allowed; the others wait, are told their place, and callers take turns', async () => {
    const { script, begun, go, until } = gate();
    const { run } = await openScene(script, { settings: { maxRuns: 1 } });
    const positions: number[] = [];
    const onEvent = (event: { type: string; position?: number }) => {
      if (event.type === 'queued') positions.push(event.position ?? 0);
    };
    const all = [
      run({ script: 'a1', caller: 'a' }),
      run({ script: 'a2', caller: 'a' }),
      run({ script: 'a3', caller: 'a', onEvent }),
      run({ script: 'b1', caller: 'b' }),
    ];
    for (const [index, name] of ['a1', 'a2', 'b1', 'a3'].entries()) {
      await until(index + 1);
      go(name);
    }
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(positions[0]).toBe(2);
  });

  it('beyond those that may wait are refused', async () => {
    const { script, go } = gate();
    const { run } = await openScene(script, { settings: { maxRuns: 1, runsPerMinute: 1000 } });
    const all = Array.from({ length: 102 }, () =>
      run({ script: 'x' }).then(
        () => 'done',
        ({ code }) => code,
      ),
    );
    const timer = setInterval(() => go('x'), 1);
    const outcomes = await Promise.all(all);
    clearInterval(timer);
    expect(outcomes.filter((outcome) => outcome === 'QUEUE_FULL')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(101);
  });

  it('that wait are given up when they are cancelled', async () => {
    const { script, begun, go, until } = gate();
    const { run } = await openScene(script, { settings: { maxRuns: 1 } });
    const given = new AbortController();
    const first = run({ script: 'first' });
    await until(1);
    const second = run({
      script: 'second',
      signal: given.signal,
      onEvent(event) {
        if (event.type === 'queued') given.abort();
      },
    });
    await expect(second).rejects.toMatchObject({ code: 'CANCELLED' });
    go('first');
    await first;
    expect(begun).toEqual(['first']);
  });

  it('all end when everything is closed, and none begins after', async () => {
    const { script, until } = gate();
    const { run, code } = await openScene(script, { settings: { maxRuns: 1 } });
    const running = run({ script: 'running' }).catch((error: unknown) => error);
    await until(1);
    const waiting = run({ script: 'waiting' }).catch((error: unknown) => error);
    await code.close();
    expect(await running).toMatchObject({ code: 'CLOSED', details: { run: expect.any(String), calls: [] } });
    expect(await waiting).toMatchObject({ code: 'CLOSED' });
    await expect(run()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(code.callTool('slack', 'post', {})).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(code.attend()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('a call by a person', () => {
  it('is made under the same policy, and recorded', async () => {
    const { code, runLog } = await openScene(async () => null, { settings: { denyTools: ['github'] } });
    expect(await code.callTool('slack', 'post', { text: 'hi' })).toEqual({
      content: [{ type: 'text', text: '{"text":"hi"}' }],
      isError: false,
    });
    await expect(code.callTool('github', 'create_issue', {})).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    const log = await runLog();
    expect(log).toMatchObject([
      { op: 'call_tool', outcome: 'done', calls: { 'slack/post': 1 } },
      { op: 'call_tool', outcome: 'failed', code: 'NOT_ALLOWED' },
    ]);
    expect(JSON.stringify(log)).not.toContain('hi"');
  });

  it('that the tool says failed is a result, and counts as failed', async () => {
    const answer = () => ({ content: [], isError: true });
    const { code, runLog } = await openScene(async () => null, { servers: { s: { tools: { t: { answer } } } } });
    expect(await code.callTool('s', 't', {})).toEqual({ content: [], isError: true });
    expect(await runLog()).toMatchObject([{ outcome: 'failed', code: 'TOOL_FAILED' }]);
  });

  it('is given up when it is cancelled', async () => {
    const given = new AbortController();
    const answer = () => {
      given.abort();
      return new Promise<never>(() => {});
    };
    const { code } = await openScene(async () => null, { servers: { s: { tools: { t: { answer } } } } });
    const { signal } = given;
    await expect(code.callTool('s', 't', {}, { signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a script that runs elsewhere', () => {
  const { callTool } = askMethods;

  it('is answered under the policy and in the records of one run', async () => {
    const { code, runLog } = await openScene(async () => null, { settings: { denyTools: ['github'], maxCalls: 2 } });
    const { onAsk, end, run } = await code.attend();
    const { signal } = new AbortController();
    const ask = (server: string, tool: string) => onAsk({ method: callTool, params: { server, tool }, signal });
    expect(await ask('slack', 'post')).toEqual({ content: [{ type: 'text', text: '{}' }] });
    expect(await caught(ask('github', 'create_issue'))).toMatchObject({ code: 'NOT_ALLOWED' });
    expect(await caught(ask('slack', 'post'))).toMatchObject({ code: 'CALL_LIMIT' });
    await end();
    expect(await caught(ask('slack', 'post'))).toMatchObject({ code: 'CLOSED' });
    expect(await runLog()).toMatchObject([
      { op: 'execute_script', run, outcome: 'done', calls: { 'slack/post': 2, 'github/create_issue': 1 } },
    ]);
  });

  it('has its calls given up when everything is closed', async () => {
    const answer = () => new Promise<never>(() => {});
    const { code } = await openScene(async () => null, { servers: { s: { tools: { t: { answer } } } } });
    const { onAsk } = await code.attend();
    const { signal } = new AbortController();
    const asked = caught(onAsk({ method: callTool, params: { server: 's', tool: 't' }, signal }));
    await code.close();
    expect(await asked).toMatchObject({ code: 'CANCELLED' });
  });
});
