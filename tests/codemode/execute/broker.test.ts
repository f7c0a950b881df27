import { describe, expect, it } from 'vitest';
import type { SearchOptions } from '../../../src/codemode/code-execution.js';
import { askMethods } from '../../../src/codemode/script-runner.js';
import { CallerError } from '../../../src/errors.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { caught, openScene, type Scene } from './scene.js';

const { callTool, searchTools, describeTool, readOutput, reportDrift } = askMethods;
const described = { description: '', signature: '', import: '', inputSchema: {} };

describe('a question of a script', () => {
  it.each<[string, JsonObject]>([
    ['format_disk', {}],
    ['constructor', {}],
    [callTool, {}],
    [callTool, { server: 7, tool: 'post' }],
    [callTool, { server: '', tool: 'post' }],
    [callTool, { server: 'slack', tool: ['post'] }],
    [callTool, { server: 'slack', tool: null }],
    [callTool, { server: 'slack', tool: 'post', arguments: [] }],
    [callTool, { server: 'slack', tool: 'post', arguments: 'x' }],
    [callTool, { server: 'x'.repeat(2000), tool: 'post' }],
    [callTool, { server: 'slack' }],
    [searchTools, { words: 7 }],
    [searchTools, { words: 'x'.repeat(2000) }],
    [searchTools, { server: {} }],
    [searchTools, { limit: 0 }],
    [searchTools, { limit: 1.5 }],
    [searchTools, { limit: '5' }],
    [describeTool, {}],
    [describeTool, { server: 'slack', tool: 7 }],
    [readOutput, {}],
    [readOutput, { run: '../../etc' }],
    [readOutput, { run: '20260101-000000-0123456789', stream: 'log' }],
    [readOutput, { run: '20260101-000000-0123456789' }],
    [reportDrift, { server: 'slack', tool: 'post' }],
  ])('%s that makes no sense (%#) gets an error that it can catch', async (method, params) => {
    const { run, source } = await openScene(({ ask }) => caught(ask(method, params)));
    expect((await run()).value).toMatchObject({ code: 'INVALID_ARGUMENTS', message: expect.stringMatching(/\w+ \w+/) });
    expect(source.calls).toEqual([]);
  });

  it('for tools is answered with what an import needs; servers that could not be searched are told of', async () => {
    const asked: SearchOptions[] = [];
    const entry = {
      server: 'slack',
      tool: 'post',
      summary: 'Posts.',
      signature: 'post()',
      import: 'from servers.slack import post',
    };
    const { run } = await openScene(
      async ({ ask }) => [
        await ask(searchTools, { words: 'send a message', server: 'slack', limit: 5000 }),
        await ask(searchTools, { words: '' }),
      ],
      {
        search: {
          async search(options) {
            asked.push(options);
            return { tools: [entry], failures: [{ server: 'github', code: 'SERVER_FAILED', message: 'it\ndied' }] };
          },
          describe: async () => ({ ...entry, ...described }),
        },
      },
    );
    const { value, warnings } = await run();
    expect(value).toEqual([[entry], [entry]]);
    expect(asked).toMatchObject([{ words: 'send a message', servers: ['slack'], limit: 200 }, { words: '' }]);
    expect(warnings).toEqual(['github could not be searched: it died']);
  });

  it('for all that is known of a tool is answered, and its errors can be caught', async () => {
    const { run } = await openScene(
      async ({ ask }) => [
        await ask(describeTool, { server: 'slack__post' }),
        await caught(ask(describeTool, { server: 'slack', tool: 'pots' })),
      ],
      {
        search: {
          search: async () => ({ tools: [], failures: [] }),
          async describe(server, tool) {
            if (tool !== undefined) throw new CallerError('UNKNOWN_TOOL', 'Did you mean post?');
            return { server, tool: '', ...described };
          },
        },
      },
    );
    expect((await run()).value).toEqual([
      { server: 'slack__post', tool: '', ...described },
      { code: 'UNKNOWN_TOOL', message: 'Did you mean post?' },
    ]);
  });

  it('that reports drift becomes one harmless warning', async () => {
    const report = { server: 'slack', tool: 'post', problem: 'no JSON\u001b[31m any\nmore' };
    const { run } = await openScene(async ({ ask }) => {
      for (let i = 0; i < 3; i += 1) await ask(reportDrift, report);
      await ask(reportDrift, { ...report, server: 'not there' });
      return null;
    });
    expect((await run()).warnings).toEqual(['slack/post: no JSON [31m any more']);
  });
});

describe('warnings', () => {
  it('of results that do not fit are told once each, and not without end', async () => {
    const { run } = await openScene(
      async ({ ask }) => {
        for (let i = 0; i < 40; i += 1) {
          await ask(callTool, { server: 'slack', tool: i < 10 ? 'post' : 'read', arguments: { i } });
        }
        return null;
      },
      {
        resultSchemas: () => ({ schema: { type: 'string' }, origin: 'inferred', samples: 2 }),
        checkDrift: (_known, { content: [block] }) =>
          block?.type === 'text' && block.text < '{"i":1' ? undefined : 'odd',
      },
    );
    const { warnings } = await run();
    expect(warnings).toEqual(['slack/post: odd', 'slack/read: odd']);
    const many = await openScene(async ({ ask }) => {
      for (let i = 0; i < 40; i += 1) await ask(reportDrift, { server: 'slack', tool: 'post', problem: `p${i}` });
      return null;
    });
    const told = (await many.run()).warnings;
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe('There was more of the kind: 20 such warnings are left out.');
  });

  it('tell of a server whose tools changed since its wrappers were generated, without any call waiting for it', async () => {
    const pinned = { slack: [{ name: 'post', inputSchema: { type: 'object' }, description: 'Posts.' }] };
    const scene = await openScene(({ ask }) => ask(callTool, { server: 'slack', tool: 'post' }), {
      servers: { slack: { tools: { post: { description: 'Posts.' } }, fresh: { post: { description: 'Pays!' } } } },
      pinned,
    });
    const sentence =
      'The tools of slack are not those that its wrappers were generated from: changed post. Look at them, then generate anew.';
    expect(await eventually(scene, (warnings) => warnings.length > 0)).toEqual([sentence]);
    expect(scene.source.lists.filter(({ fresh }) => fresh)).toHaveLength(1);
    scene.source.change('slack', { tools: { post: { description: 'Posts.' } } });
    expect(await eventually(scene, (warnings) => warnings.length === 0)).toEqual([]);
  });
});

async function eventually({ run }: Scene, isIt: (warnings: readonly string[]) => boolean): Promise<readonly string[]> {
  for (let tries = 0; tries < 50; tries += 1) {
    const { warnings } = await run();
    if (isIt(warnings)) return warnings;
  }
  throw new Error('it did not come to that');
}
