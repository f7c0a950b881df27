import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DescribedTool, GeneratedServer, ToolSchemaReport } from '../../../src/codemode/code-execution.js';
import { createCodeToolbox } from '../../../src/codemode/toolbox/toolbox.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { fakeCode } from './fake-code.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-execution-permissions-'));
  await mkdir(join(folder, 'workspace'));
  await writeFile(join(folder, 'mcp.json'), '{}');
  await symlink(join(folder, 'mcp.json'), join(folder, 'workspace', 'linked.json'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('generate_wrappers', () => {
  it('asks for the servers and language that are named, and never takes changes over by itself', async () => {
    const code = fakeCode();
    await createCodeToolbox(code).call('generate_wrappers', { servers: ['github'], language: 'typescript' });
    expect(code.generated).toMatchObject([{ servers: ['github'], language: 'typescript', acceptChanges: false }]);
  });

  it('takes changes over where the user said so at the start, and not where an agent does', async () => {
    const code = fakeCode();
    await createCodeToolbox(code, { acceptChanges: true }).call('generate_wrappers', {});
    expect(code.generated).toMatchObject([{ acceptChanges: true }]);
    const refused = await createCodeToolbox(code).call('generate_wrappers', { acceptChanges: true });
    expect(refused).toMatchObject({ isError: true, code: 'INVALID_ARGUMENTS' });
  });

  it('takes the config that the server was started with, in whatever way it is named', async () => {
    const code = fakeCode({ workspace: join(folder, 'workspace') });
    const toolbox = createCodeToolbox(code, { configs: [join(folder, 'mcp.json'), 'cursor'] });
    for (const config of [join(folder, 'mcp.json'), '../mcp.json', 'cursor']) {
      expect(await toolbox.call('generate_wrappers', { config })).not.toHaveProperty('isError');
    }
  });

  it.each(['/etc/mcp.json', 'mcp.json', 'scratch.json', 'windsurf', 'linked.json', '\u001b[2J'])(
    'refuses the config %j, which an agent may have written',
    async (config) => {
      const code = fakeCode({ workspace: join(folder, 'workspace') });
      const toolbox = createCodeToolbox(code, { configs: [join(folder, 'mcp.json')] });
      for (const tool of ['generate_wrappers', 'discover_schemas']) {
        const refused = await toolbox.call(tool, { config });
        expect(refused).toMatchObject({ isError: true, code: 'NOT_ALLOWED' });
        expect(JSON.stringify(refused)).not.toContain(folder);
      }
      expect([code.generated, code.discovered]).toEqual([[], []]);
    },
  );

  it('tells of each server what there is to import, what changed and what failed', async () => {
    const base = { module: 'x', tools: 2, changes: [], isPinned: false };
    const changes = [
      { tool: 'a', change: 'changed' },
      { tool: 'b', change: 'added' },
    ] as const;
    const servers: readonly GeneratedServer[] = [
      { ...base, server: 'my-github', module: 'my_github' },
      { ...base, server: 'slack', changes, isPinned: true },
      {
        ...base,
        server: 'far',
        failure: { code: 'SERVER_FAILED', message: `could not start ${folder}/workspace/x\n` },
      },
    ];
    const generateWrappers = async () => ({ folder: 'servers', servers, written: ['a'], removed: [], unchanged: 7 });
    const code = fakeCode({ workspace: join(folder, 'workspace'), generateWrappers });
    const result = await createCodeToolbox(code).call('generate_wrappers', {});
    expect(result.content).toEqual([
      {
        type: 'text',
        text: [
          'my-github: 2 tools, from servers.my_github import …',
          'slack: 2 tools, from servers.x import …. Since the last time added: b; changed: a. Not taken over: the user has to accept that.',
          'far: SERVER_FAILED: could not start x',
          'Files: 1 written, 0 removed, 7 unchanged.',
        ].join('\n'),
      },
    ]);
    expect(result).not.toHaveProperty('isError');
    expect(result.structuredContent).toMatchObject({
      written: 1,
      removed: 0,
      unchanged: 7,
      servers: [{ module: 'my_github' }, { isPinned: true, changes }, { failure: { code: 'SERVER_FAILED' } }],
    });
  });

  it('stays in bounds with a thousand servers and ten thousand changes', async () => {
    const changes = Array.from({ length: 10_000 }, (_, index) => ({ tool: `t${index}`, change: 'added' as const }));
    const servers = Array.from({ length: 1000 }, (_, index) => ({
      server: `s${index}`,
      module: `s${index}`,
      tools: 1,
      changes,
      isPinned: false,
    }));
    const generateWrappers = async () => ({ folder: '', servers, written: [], removed: [], unchanged: 0 });
    const result = await createCodeToolbox(fakeCode({ generateWrappers })).call('generate_wrappers', {});
    expect(JSON.stringify(result).length).toBeLessThan(500_000);
    expect(JSON.stringify(result.content)).toContain('and 900 more servers');
  });
});

describe('discover_schemas', () => {
  const marked = [
    { server: 'github', tool: 'list', arguments: [{ a: 1 }] },
    { server: 'slack', tool: 'channels' },
  ];

  it('calls what the user marked, of the servers that are named', async () => {
    const code = fakeCode();
    const toolbox = createCodeToolbox(code, { safeTools: marked });
    await toolbox.call('discover_schemas', {});
    await toolbox.call('discover_schemas', { servers: ['slack'] });
    expect(code.discovered).toMatchObject([
      { safeTools: marked, acceptReadOnly: false },
      { servers: ['slack'], safeTools: [marked[1]] },
    ]);
  });

  it.each([
    [['github/list'], [{ a: 1 }]],
    [{ 'github/list': [] }, [{ a: 1 }]],
    [{ 'github/list': [{ b: 2 }] }, [{ b: 2 }]],
    ['{"github/list": [{"b": 2}]}', [{ b: 2 }]],
  ])('calls of these what an agent names, %j', async (safe_tools, args) => {
    const code = fakeCode();
    await createCodeToolbox(code, { safeTools: marked }).call('discover_schemas', { safe_tools });
    expect(code.discovered).toMatchObject([{ safeTools: [{ server: 'github', tool: 'list', arguments: args }] }]);
  });

  it.each(['github/delete', 'github', 'other/list', 'github/list '])(
    'refuses %j, which the user has not marked',
    async (name) => {
      const code = fakeCode();
      const refused = await createCodeToolbox(code, { safeTools: marked }).call('discover_schemas', {
        safe_tools: [name],
      });
      expect(refused).toMatchObject({
        isError: true,
        code: 'NOT_ALLOWED',
        content: [{ text: expect.stringContaining('marked are github/list, slack/channels') }],
      });
      expect(code.discovered).toEqual([]);
    },
  );

  it.each([
    [{ readOnlyHint: true }, true, true],
    [{ readOnlyHint: true, destructiveHint: true }, true, false],
    [{ readOnlyHint: 'yes' }, true, false],
    [undefined, true, false],
    [{ readOnlyHint: true }, false, false],
  ])(
    'takes a tool that declares %j, where such are accepted: %j, as safe: %j',
    async (annotations: JsonObject | undefined, acceptReadOnly, isTaken) => {
      const described: DescribedTool = {
        server: 'github',
        tool: 'get/it',
        description: '',
        signature: '',
        import: '',
        inputSchema: {},
        annotations,
      };
      const code = fakeCode({ describeTool: async () => described });
      const call = createCodeToolbox(code, { acceptReadOnly }).call('discover_schemas', {
        safe_tools: { 'github/get/it': [{ a: 1 }] },
      });
      expect(await call.then(({ isError = false }) => !isError)).toBe(isTaken);
      expect(code.discovered).toMatchObject(
        isTaken
          ? [
              {
                acceptReadOnly: true,
                safeTools: [{ server: 'github', tool: 'get/it', onlyIfReadOnly: true, arguments: [{ a: 1 }] }],
              },
            ]
          : [],
      );
    },
  );

  it('tells what is known of results, and why of some nothing is', async () => {
    const tools: readonly ToolSchemaReport[] = [
      { server: 'a', tool: 'said', origin: 'declared', samples: 0, schema: {} },
      { server: 'a', tool: 'seen', origin: 'inferred', samples: 2, schema: {}, drift: 'n was a number' },
      { server: 'a', tool: 'other', origin: 'none', samples: 0, reason: 'it is not marked\nas safe' },
    ];
    const failures = [{ server: 'b', code: 'SERVER_FAILED', message: 'gone' }];
    const result = await createCodeToolbox(fakeCode({ discoverSchemas: async () => ({ tools, failures }) })).call(
      'discover_schemas',
      {},
    );
    expect(result.content).toEqual([
      {
        type: 'text',
        text: [
          '3 tools: 1 declare what they return, of 1 it was inferred, of 1 it is not known.',
          'a/seen: inferred from 2 answers; n was a number',
          'a/other: not known; it is not marked as safe',
          'b: SERVER_FAILED: gone',
        ].join('\n'),
      },
    ]);
    expect(result.structuredContent).toMatchObject({
      tools: [{ origin: 'declared' }, { samples: 2 }, { origin: 'none' }],
      failures,
    });
  });
});
