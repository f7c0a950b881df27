import { describe, expect, it } from 'vitest';
import { createSearch } from '../../../src/codemode/search/search.js';
import { type FakeServer, fakeSource } from '../fakes.js';

const inputSchema = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] };
const servers: Readonly<Record<string, FakeServer>> = {
  'my-server': {
    tools: {
      'look-up': { description: 'Looks it up.\n\nIn a book.', inputSchema, annotations: { readOnlyHint: true } },
      plain: { inputSchema },
      declared: { outputSchema: { type: 'object' } },
    },
  },
  my: { tools: { server__odd: { description: 'Of the shorter name.' } } },
  my__server: { tools: { odd: { description: 'Of the longer name.' } } },
};
const { describe: describeTool } = createSearch({
  source: fakeSource(servers),
  resultSchemas: (_server, tool) =>
    tool === 'look-up' ? { schema: { type: 'string' }, origin: 'inferred', samples: 3 } : undefined,
});

describe('the description of a tool', () => {
  it('says all that is known of it', async () => {
    expect(await describeTool('my-server', 'look-up')).toEqual({
      server: 'my-server',
      tool: 'look-up',
      description: 'Looks it up.\n\nIn a book.',
      import: 'from servers.my_server import look_up',
      signature: 'look_up(at: str) -> str',
      inputSchema,
      resultSchema: { type: 'string' },
      resultOrigin: 'inferred from 3 samples',
      annotations: { readOnlyHint: true },
    });
  });

  it('leaves out what is not known', async () => {
    expect(Object.keys(await describeTool('my-server', 'plain'))).toEqual([
      'server',
      'tool',
      'description',
      'import',
      'signature',
      'inputSchema',
    ]);
    expect(await describeTool('my-server', 'declared')).toMatchObject({ resultOrigin: 'declared' });
  });

  it.each([
    ['my_server', 'look_up'],
    ['my_server', 'look_up_async'],
    ['my-server__look-up', undefined],
    ['my-server.look-up', undefined],
    ['my-server/look-up', undefined],
    ['my_server.look_up', undefined],
    ['servers.my_server.look_up', undefined],
  ])('is found by %j and %j', async (server, tool) => {
    expect(await describeTool(server, tool)).toMatchObject({ server: 'my-server', tool: 'look-up' });
  });

  it('is that of the longest server where a name can be read in two ways', async () => {
    expect(await describeTool('my__server__odd')).toMatchObject({ description: 'Of the longer name.' });
    expect(await describeTool('my', 'server__odd')).toMatchObject({ description: 'Of the shorter name.' });
  });

  it('that there is not names the nearest', async () => {
    await expect(describeTool('my-server', 'lookup_up')).rejects.toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: 'The server my-server has no tool "lookup_up". The nearest: look-up.',
    });
    await expect(describeTool('my-server__loook')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
    await expect(describeTool('my-server', '\u001b[2J\n')).rejects.toMatchObject({
      message: expect.stringMatching(/^[^\p{Cc}]+ It has 3 others\.$/u),
    });
  });

  it('of a server that there is not names the nearest', async () => {
    await expect(describeTool('my-servr', 'look-up')).rejects.toMatchObject({
      code: 'UNKNOWN_SERVER',
      message: 'There is no MCP server for "my-servr". Did you mean my-server?',
    });
    await expect(describeTool('unheard of')).rejects.toMatchObject({ code: 'UNKNOWN_SERVER' });
    await expect(describeTool('my-server')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: '"my-server" is a server, and its tool is not said: describe_tool("server", "tool").',
    });
  });

  it('stays within bounds whatever the server says', async () => {
    const huge = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, {}])),
    };
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(5000)}{}${'}}'.repeat(5000)}`);
    const tools = { huge: { inputSchema: huge, description: 'x'.repeat(1e6) }, deep: { inputSchema: deep } };
    const search = createSearch({ source: fakeSource({ evil: { tools } }), resultSchemas: () => undefined });
    for (const tool of ['huge', 'deep']) {
      expect(JSON.stringify(await search.describe('evil', tool)).length).toBeLessThan(70_000);
    }
  });
});
