import { describe, expect, it } from 'vitest';
import { createResultStore } from '../../src/server/store.js';
import type { ContentBlock, ToolResult } from '../../src/toolbox.js';
import { FakeToolbox } from './fake-toolbox.js';
import { connectTo, eras } from './sdk-client.js';

const outputSchema = { type: 'object', properties: { result: {} }, required: ['result'] };
const previewBytes = 1000;

async function clientFor(result: ToolResult, schema?: typeof outputSchema) {
  const box = new FakeToolbox({ work: { ...(schema && { outputSchema: schema }), work: () => result } });
  const { client } = await connectTo(box, '2025-11-25', { previewBytes });
  await client.listTools();
  return client;
}

const textOf = (content: readonly { type: string }[]) => content.find((block) => block.type === 'text');
const linkIn = (content: readonly { type: string }[]) => {
  const link = content.find((block) => block.type === 'resource_link');
  return String(Object(link).uri);
};

describe('a result beyond the limit', () => {
  it.each(eras)('is a preview and a link by which a client of %s reads the whole', async (era) => {
    const whole = Array.from({ length: 5000 }, (_, index) => `ligne ${index} é`).join('\n');
    const box = new FakeToolbox({ work: () => ({ content: [{ type: 'text', text: whole }] }) });
    const { client } = await connectTo(box, era, { previewBytes });
    const { content } = await client.callTool({ name: 'work' });
    const preview = String(Object(textOf(content)).text);
    expect(Buffer.byteLength(preview)).toBeLessThan(previewBytes + 400);
    expect(preview).toMatch(/^ligne 0 é\n/);
    expect(preview).toMatch(/ligne 4999 é$/);
    expect(preview).toContain(`of ${Buffer.byteLength(whole)} bytes are left out`);
    const uri = linkIn(content);
    expect(preview).toContain(uri);
    expect(await client.readResource({ uri })).toMatchObject({
      contents: [{ uri, mimeType: 'text/plain', text: whole }],
    });
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri, size: Buffer.byteLength(whole) }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    await client.close();
  });

  it('is read in parts that join without loss', async () => {
    const whole = 'é€😀x'.repeat(1000);
    const client = await clientFor({ content: [{ type: 'text', text: whole }] });
    const uri = linkIn((await client.callTool({ name: 'work' })).content);
    let joined = '';
    for (let offset = 0; offset < Buffer.byteLength(whole); offset += 777) {
      const { contents } = await client.readResource({ uri: `${uri}?offset=${offset}&length=777` });
      joined += String(Object(contents[0]).text);
    }
    expect(joined).toBe(whole);
    const { contents } = await client.readResource({ uri: `${uri}?offset=999999` });
    expect(contents).toMatchObject([{ text: '', _meta: { 'mcp-execution/range': { length: 0, size: 10_000 } } }]);
  });

  it('keeps structured content that the schema asks for, and shortens the text alone', async () => {
    const value = { result: 'x'.repeat(5000) };
    const client = await clientFor(
      { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value },
      outputSchema,
    );
    const answer = await client.callTool({ name: 'work' });
    expect(answer.structuredContent).toEqual(value);
    expect(answer.content.map(({ type }) => type)).toEqual(['text', 'resource_link']);
    expect(answer.isError).toBeUndefined();
  });

  it('leaves structured content out that no schema asks for', async () => {
    const value = { result: 'x'.repeat(5000) };
    const client = await clientFor({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      structuredContent: value,
    });
    const answer = await client.callTool({ name: 'work' });
    expect(answer.structuredContent).toBeUndefined();
    expect(answer.content.map(({ type }) => type)).toEqual(['text', 'resource_link']);
  });

  it('is an error to the client, with the whole as a resource, where even structured content would be too large', async () => {
    const value = { result: 'x'.repeat(20_000) };
    const client = await clientFor(
      { content: [{ type: 'text', text: 'short' }], structuredContent: value },
      outputSchema,
    );
    const answer = await client.callTool({ name: 'work' });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toBeUndefined();
    expect(String(Object(answer.content[0]).text)).toContain('The tool did its work');
    const { contents } = await client.readResource({ uri: linkIn(answer.content) });
    expect(JSON.parse(String(Object(contents[0]).text))).toEqual(value);
  });

  it('that is an image stays inline up to a larger bound, then is a resource', async () => {
    const image = (bytes: number): ContentBlock => ({
      type: 'image',
      mimeType: 'image/png',
      data: Buffer.alloc(bytes, 1).toString('base64'),
    });
    const client = await clientFor({ content: [image(5000), image(50_000)] });
    const { content } = await client.callTool({ name: 'work' });
    expect(content.map(({ type }) => type)).toEqual(['image', 'text', 'resource_link']);
    const { contents } = await client.readResource({ uri: linkIn(content) });
    expect(contents).toMatchObject([{ mimeType: 'image/png', blob: Buffer.alloc(50_000, 1).toString('base64') }]);
  });

  it('that is many images has the first of them inline, as far as one message has room', async () => {
    const image: ContentBlock = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(10_000) };
    const client = await clientFor({ content: Array.from({ length: 10 }, () => ({ ...image })) });
    const { content } = await client.callTool({ name: 'work' });
    expect(content.filter(({ type }) => type === 'image')).toHaveLength(6);
    expect(content.filter(({ type }) => type === 'resource_link')).toHaveLength(4);
  });

  it('that is an embedded file becomes a link under its name', async () => {
    const resource = { uri: 'file:///scratch/a%20b.csv', mimeType: 'text/csv', text: 'a,b\n'.repeat(1000) };
    const small = { uri: 'file:///scratch/c.bin', mimeType: 'application/octet-stream', blob: 'AAEC' };
    const client = await clientFor({
      content: [
        { type: 'resource', resource },
        { type: 'resource', resource: small },
      ],
    });
    const { content } = await client.callTool({ name: 'work' });
    expect(content[0]).toMatchObject({ type: 'resource_link', name: 'a b.csv', mimeType: 'text/csv', size: 4000 });
    expect(content[1]).toMatchObject({ type: 'resource', resource: small });
  });

  it('has what was printed cut in the middle', async () => {
    const client = await clientFor({
      content: [{ type: 'text', text: '' }],
      output: { stdout: 'a'.repeat(100_000), stderr: '' },
    });
    const { _meta } = await client.callTool({ name: 'work' });
    const { stdout } = Object(_meta?.['mcp-execution/output']);
    expect(stdout.length).toBeLessThan(1000);
    expect(stdout).toContain('bytes are left out');
  });
});

describe('a result that no client takes in one message', () => {
  it('is read in parts: the whole is refused with the way to read it', async () => {
    const whole = 'x'.repeat(20 * 1024 * 1024);
    const client = await clientFor({ content: [{ type: 'text', text: whole }] });
    const uri = linkIn((await client.callTool({ name: 'work' })).content);
    const refused = client.readResource({ uri });
    await expect(refused).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`Read it in parts: ${uri}?offset=0&length=1048576,`),
    });
    const { contents } = await client.readResource({ uri: `${uri}?offset=0&length=1048576` });
    expect(String(Object(contents[0]).text)).toHaveLength(1048576);
  });

  it('is read in those parts even where each byte takes six', async () => {
    const client = await clientFor({ content: [{ type: 'text', text: '\0'.repeat(2 * 1024 * 1024) }] });
    const uri = linkIn((await client.callTool({ name: 'work' })).content);
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    const { contents } = await client.readResource({ uri: `${uri}?offset=0&length=1048576` });
    expect(String(Object(contents[0]).text)).toHaveLength(1048576);
  });

  it('is an error in its place, and the connection lives on', async () => {
    const description = 'x'.repeat(9 * 1024 * 1024);
    const box = new FakeToolbox({ work: { description, work: () => ({ content: [] }) } });
    const { client } = await connectTo(box, '2025-11-25');
    await expect(client.listTools()).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/The answer takes \d+ bytes, and clients take 8388608 in one message/),
    });
    expect(await client.callTool({ name: 'work' })).toMatchObject({ content: [] });
  });
});

describe('reading a result', () => {
  it.each([
    ['mcp-exec://results/nothing', 'There is no such result'],
    ['file:///etc/passwd', 'There is no such resource'],
    ['', 'There is no such resource'],
  ])('that is not there (%j) is refused', async (uri, words) => {
    const client = await clientFor({ content: [] });
    await expect(client.readResource({ uri })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(words),
    });
  });

  it.each(['offset=-1', 'offset=x', 'length=1.5', 'offset=', 'page=2'])(
    'by a wrong part (%s) is refused',
    async (part) => {
      const client = await clientFor({ content: [{ type: 'text', text: 'x'.repeat(2000) }] });
      const uri = linkIn((await client.callTool({ name: 'work' })).content);
      await expect(client.readResource({ uri: `${uri}?${part}` })).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe('the store of results', () => {
  const result = (bytes: number) => ({ name: 'a', mimeType: 'text/plain', isText: true, data: Buffer.alloc(bytes) });

  it('drops the oldest beyond its number, and beyond its bytes, but never the newest', () => {
    const store = createResultStore({ maxResults: 3, maxBytes: 100 });
    const uris = [10, 10, 10, 10].map((bytes) => store.put(result(bytes)).uri);
    expect(store.list().map(({ uri }) => uri)).toEqual(uris.slice(1));
    const large = store.put(result(90));
    expect(store.list().map(({ uri }) => uri)).toEqual([uris[3], large.uri]);
    const huge = store.put(result(1000));
    expect(store.list()).toEqual([huge]);
    expect(store.get(large.uri)).toBeUndefined();
  });
});
