import { describe, expect, it } from 'vitest';
import { askMethods } from '../../../src/codemode/script-runner.js';
import { HostError, LimitError } from '../../../src/errors.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { type FakeScript, fakeRunner } from '../fakes.js';
import { caught, openScene, twoServers } from './scene.js';

const { callTool } = askMethods;

describe('a tool call of a script', () => {
  it('reaches the server, and all of the result reaches the script', async () => {
    const content = [
      { type: 'text', text: 'two blocks' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    ] as const;
    const { run, source } = await openScene(
      ({ ask }) => ask(callTool, { server: 'github', tool: 'list_issues', arguments: { repo: 'x' } }),
      { servers: { github: { tools: { list_issues: { answer: () => ({ content, structuredContent: { n: 1 } }) } } } } },
    );
    const { value, calls, callCount } = await run();
    expect(value).toEqual({ content, structuredContent: { n: 1 } });
    expect(source.calls).toEqual([{ server: 'github', tool: 'list_issues', args: { repo: 'x' } }]);
    expect(callCount).toBe(1);
    expect(calls).toEqual([
      {
        server: 'github',
        tool: 'list_issues',
        atMs: expect.any(Number),
        wallMs: expect.any(Number),
        outcome: 'done',
        sentBytes: 12,
        receivedBytes: expect.any(Number),
      },
    ]);
  });

  it('may name its tool as server__tool; the longest name of a server is meant', async () => {
    const servers = { a: { tools: { b__c: {}, d: {} } }, a__b: { tools: { c: {} } } };
    const { run, source } = await openScene(
      async ({ ask }) => {
        for (const server of ['a__b__c', 'a__d']) await ask(callTool, { server, arguments: {} });
        return [await caught(ask(callTool, { server: 'x__y' })), await caught(ask(callTool, { server: 'a__' }))].map(
          ({ code }) => code,
        );
      },
      { servers },
    );
    expect((await run()).value).toEqual(['UNKNOWN_SERVER', 'UNKNOWN_SERVER']);
    expect(source.calls.map(({ server, tool }) => [server, tool])).toEqual([
      ['a__b', 'c'],
      ['a', 'd'],
    ]);
  });

  it('that the tool says failed is given to the script as such, and recorded', async () => {
    const answer = () => ({ content: [{ type: 'text', text: 'no such repo' }], isError: true }) as const;
    const { run, logged } = await openScene(
      ({ ask }) => ask(callTool, { server: 'github', tool: 'list_issues', arguments: { token: 'hidden' } }),
      { servers: { github: { tools: { list_issues: { answer } } } } },
    );
    const { value, calls, run: id } = await run();
    expect(value).toEqual({ content: [{ type: 'text', text: 'no such repo' }], isError: true });
    expect(calls[0]).toMatchObject({ outcome: 'failed', code: 'TOOL_FAILED' });
    const entry = logged.find(({ event }) => event === 'tool called');
    expect(entry).toMatchObject({
      run: id,
      server: 'github',
      tool: 'list_issues',
      outcome: 'failed',
      code: 'TOOL_FAILED',
    });
    expect(JSON.stringify(logged)).not.toContain('hidden');
  });

  it('of an unknown tool or server says which might be meant, and asks the server itself once', async () => {
    const { run, source } = await openScene(async ({ ask }) => [
      await caught(ask(callTool, { server: 'github', tool: 'create-isue', arguments: {} })),
      await caught(ask(callTool, { server: 'github', tool: 'zzz', arguments: {} })),
      await caught(ask(callTool, { server: 'gitlab', tool: 'x', arguments: {} })),
    ]);
    const { value, calls } = await run();
    expect(value).toEqual([
      { code: 'UNKNOWN_TOOL', message: 'The server github has no tool "create-isue". Did you mean create_issue?' },
      {
        code: 'UNKNOWN_TOOL',
        message: 'The server github has no tool "zzz". It has list_issues, create_issue, delete_repo.',
      },
      { code: 'UNKNOWN_SERVER', message: expect.any(String) },
    ]);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
    expect(source.lists.filter(({ fresh }) => fresh)).toEqual([{ server: 'github', fresh: true }]);
    expect(source.calls).toEqual([]);
  });

  it('of a tool that came after the list was remembered is made', async () => {
    const servers = { github: { tools: {}, fresh: { new_tool: {} } } };
    const { run, source } = await openScene(({ ask }) => ask(callTool, { server: 'github', tool: 'new_tool' }), {
      servers,
    });
    await run();
    expect(source.calls).toHaveLength(1);
  });

  it('whose server fails gets the reason, and other calls go on', async () => {
    const servers = {
      broken: { tools: {}, failure: new HostError('SERVER_FAILED', 'The MCP server died') },
      odd: {
        tools: {
          x: {
            answer: () => {
              throw new Error('a secret path');
            },
          },
        },
      },
      fine: { tools: { x: {} } },
    };
    const { run, logged } = await openScene(
      async ({ ask }) => [
        await caught(ask(callTool, { server: 'broken', tool: 'x' })),
        await caught(ask(callTool, { server: 'odd', tool: 'x' })),
        await ask(callTool, { server: 'fine', tool: 'x' }),
      ],
      { servers },
    );
    const { value } = await run();
    expect(value).toEqual([
      { code: 'SERVER_FAILED', message: 'The MCP server died' },
      { code: 'SERVER_FAILED', message: expect.stringMatching(/^The tool odd\/x could not be called; the log has/) },
      { content: [{ type: 'text', text: '{}' }] },
    ]);
    expect(JSON.stringify(value)).not.toContain('secret path');
    expect(JSON.stringify(logged)).toContain('a secret path');
  });

  it('that takes too long tells the script so', async () => {
    const answer = () => Promise.reject(new LimitError('TIMEOUT', 'The MCP server did not answer within 20 ms'));
    const { run } = await openScene(({ ask }) => caught(ask(callTool, { server: 'slow', tool: 'x' })), {
      servers: { slow: { tools: { x: { answer } } } },
    });
    const { value, calls } = await run();
    expect(value).toEqual({ code: 'TIMEOUT', message: 'The MCP server did not answer within 20 ms' });
    expect(calls[0]).toMatchObject({ outcome: 'failed', code: 'TIMEOUT' });
  });

  it('that the script gives up is given up at the server, too', async () => {
    const given = new AbortController();
    const answer = (_args: JsonObject, { signal }: { signal?: AbortSignal }) => {
      given.abort();
      return new Promise<never>((_resolve, reject) => {
        if (signal?.aborted) reject(signal.reason);
      });
    };
    const { run } = await openScene(({ ask }) => caught(ask(callTool, { server: 'slow', tool: 'x' }, given.signal)), {
      servers: { slow: { tools: { x: { answer } } } },
    });
    expect((await run()).value).toMatchObject({ code: 'CANCELLED' });
  });

  it('runs with at most fifteen others at once', async () => {
    let running = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const answer = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 16) for (const go of waiting) go();
        if (most === 16 && waiting.length > 16) resolve();
      });
      running -= 1;
      return { content: [] };
    };
    const { run } = await openScene(
      async ({ ask }) => {
        const all = Array.from({ length: 40 }, () => ask(callTool, { server: 'busy', tool: 'x' }));
        return (await Promise.all(all)).length;
      },
      { servers: { busy: { tools: { x: { answer } } } } },
    );
    expect((await run()).value).toBe(40);
    expect(most).toBe(16);
  });

  it('beyond the budget is refused, can be caught, and the run goes on', async () => {
    const { run, source } = await openScene(
      async ({ ask }) => {
        const asking = Array.from({ length: 5 }, () => ask(callTool, { server: 'slack', tool: 'post' }));
        const outcomes = await Promise.allSettled(asking);
        const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
        return [outcomes.filter(({ status }) => status === 'fulfilled').length, String(refused?.reason.code)];
      },
      { settings: { maxCalls: 10 } },
    );
    const { value, calls } = await run({ limits: { maxCalls: 3 } });
    expect(value).toEqual([3, 'CALL_LIMIT']);
    expect(source.calls).toHaveLength(3);
    expect(calls.filter(({ outcome }) => outcome === 'refused')).toHaveLength(2);
  });

  it('again and again beyond the budget does not fill the log, and is counted all the same', async () => {
    const calling: FakeScript = async ({ ask }) => {
      for (let call = 0; call < 500; call += 1) {
        await ask(callTool, { server: 'slack', tool: 'read' }).catch(() => undefined);
      }
      return null;
    };
    const { run, logged } = await openScene(calling, { settings: { maxCalls: 3 } });
    expect((await run()).callCount).toBe(500);
    expect(logged.filter(({ event }) => event === 'tool called')).toHaveLength(103);
  });

  it('is listed with the first and the last where there were very many, and counted with all', async () => {
    const { run, runLog } = await openScene(
      async ({ ask }) => {
        for (let i = 0; i < 1200; i += 1) await ask(callTool, { server: 'slack', tool: 'post' });
        return null;
      },
      { settings: { maxCalls: 2000 } },
    );
    const { calls, callCount } = await run();
    expect(calls).toHaveLength(1000);
    expect(callCount).toBe(1200);
    expect((await runLog())[0]).toMatchObject({ calls: { 'slack/post': 1200 } });
  });
});

describe('the policy', () => {
  const ask = (server: string, tool: string) => ({ server, tool, arguments: { a: 1 } });

  it('refuses a call before its server is started', async () => {
    const { run, source } = await openScene(
      ({ ask: asking }) => caught(asking(callTool, ask('github', 'create_issue'))),
      { settings: { denyTools: ['github'] } },
    );
    const { value, calls } = await run();
    expect(value).toEqual({
      code: 'NOT_ALLOWED',
      message: 'The tool github/create_issue may not be called: --deny-tools forbids "github".',
    });
    expect(calls[0]).toMatchObject({ outcome: 'refused', code: 'NOT_ALLOWED' });
    expect(source.lists).toEqual([]);
    expect(source.calls).toEqual([]);
  });

  it('of the run tightens that of the host', async () => {
    const { run, source } = await openScene(
      async ({ ask: asking }) => [
        await caught(asking(callTool, ask('slack', 'post'))),
        await asking(callTool, ask('slack', 'read')),
      ],
      { settings: { allowTools: ['slack'] } },
    );
    await run({ policy: { allow: ['slack', 'github'], readOnly: true } });
    expect(source.calls.map(({ tool }) => tool)).toEqual(['read']);
  });

  it('that is read-only believes a server only in what it said when its wrappers were generated', async () => {
    const honest = { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
    const turned = { name: 'post', inputSchema: { type: 'object' } };
    const hint = { annotations: { readOnlyHint: true } };
    const { run } = await openScene(
      async ({ ask: asking }) => {
        const codes: string[] = [];
        for (const tool of ['read', 'post', 'added']) {
          codes.push(
            await asking(callTool, ask('slack', tool)).then(
              () => 'done',
              ({ code }) => code,
            ),
          );
        }
        return codes;
      },
      {
        servers: { slack: { tools: { read: hint, post: hint, added: hint } } },
        pinned: { slack: [honest, turned] },
        settings: { readOnly: true },
      },
    );
    expect((await run()).value).toEqual(['done', 'NOT_ALLOWED', 'NOT_ALLOWED']);
  });

  it('that is read-only does not believe what is said to change something', async () => {
    const { run } = await openScene(({ ask: asking }) => caught(asking(callTool, ask('github', 'delete_repo'))));
    expect((await run({ policy: { readOnly: true } })).value).toMatchObject({ code: 'NOT_ALLOWED' });
  });

  it('asks a person, one call after another, and does what the person says', async () => {
    const asked: JsonObject[] = [];
    let atOnce = 0;
    const { run, source } = await openScene(
      async ({ ask: asking }) => {
        const both = ['list_issues', 'create_issue'].map((tool) => asking(callTool, ask('github', tool)));
        return (await Promise.allSettled(both)).map(({ status }) => status);
      },
      {
        settings: { askTools: ['github'] },
        async approve({ run: id, ...approval }) {
          atOnce += 1;
          expect(id).toMatch(/^\d{8}-/);
          asked.push(approval);
          await Promise.resolve();
          expect(atOnce).toBe(1);
          atOnce -= 1;
          return approval.tool === 'create_issue';
        },
      },
    );
    expect((await run()).value).toEqual(['rejected', 'fulfilled']);
    expect(asked).toEqual([ask('github', 'list_issues'), ask('github', 'create_issue')]);
    expect(source.calls.map(({ tool }) => tool)).toEqual(['create_issue']);
  });

  it('that asks refuses where nobody can be asked, or asking fails', async () => {
    const settings = { askTools: ['github/*'] };
    const script = fakeRunner(({ ask: asking }) => caught(asking(callTool, ask('github', 'create_issue'))));
    const nobody = await openScene(async () => null, { settings, runner: script });
    expect((await nobody.run()).value).toMatchObject({
      code: 'NOT_ALLOWED',
      message: expect.stringContaining('nobody can be asked here'),
    });
    const failing = await openScene(async () => null, {
      settings,
      runner: script,
      approve: () => Promise.reject(new Error('no terminal')),
    });
    expect((await failing.run()).value).toMatchObject({ code: 'NOT_ALLOWED' });
    expect(failing.source.calls).toEqual([]);
  });

  it('stops waiting for a person when the run is over', async () => {
    const given = new AbortController();
    const { run } = await openScene(({ ask: asking }) => caught(asking(callTool, ask('github', 'create_issue'))), {
      servers: twoServers,
      settings: { askTools: ['*'] },
      approve: () => {
        given.abort();
        return new Promise<never>(() => {});
      },
    });
    expect((await run({ signal: given.signal })).value).toMatchObject({ code: 'CANCELLED' });
  });
});
