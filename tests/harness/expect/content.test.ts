import { describe, expect, it } from 'vitest';
import { check, messages, result, text } from './exchanges.js';

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const mixed = result({ content: [{ type: 'text', text: 'a' }, image] });

describe('the expected content', () => {
  it('is types in their order, with or without the kind of media', async () => {
    expect(await check({ content: ['text', 'image'] }, mixed)).toEqual([]);
    expect(await check({ content: ['text', { type: 'image', mime: 'image/PNG' }] }, mixed)).toEqual([]);
  });

  it.each([
    [['text'], 'The content is text, image (image/png); expected text.'],
    [['image', 'text'], 'The content is text, image (image/png); expected image, text.'],
    [[], 'The content is text, image (image/png); expected empty.'],
    [
      ['text', { type: 'image', mime: 'image/gif' }],
      'The content is text, image (image/png); expected text, image (image/gif).',
    ],
  ])('%j is not there', async (content, message) => {
    expect(await messages({ content }, mixed)).toEqual([message]);
  });

  it('of a resource is text or blob, and of an embedded one its kind of media', async () => {
    const read = result({
      contents: [
        { uri: 'a', text: 'x', mimeType: 'text/plain' },
        { uri: 'b', blob: 'AAAA' },
      ],
    });
    const content = [{ type: 'text', mime: 'text/plain' }, 'blob'];
    expect(await check({ content }, read, { action: 'resource' })).toEqual([]);
    const embedded = { type: 'resource', resource: { uri: 'a', text: 'x', mimeType: 'text/css' } };
    expect(await check({ content: [{ type: 'resource', mime: 'text/css' }] }, result({ content: [embedded] }))).toEqual(
      [],
    );
  });

  it('of a list is none', async () => {
    expect(await messages({ content: ['text'] }, result({ tools: [] }), { action: 'list' })).toEqual([
      'The answer has no content blocks.',
    ]);
  });

  it('with hostile types shows them without their commands', async () => {
    const [message = ''] = await messages({ content: [] }, result({ content: [{ type: '\u001b[2J' }] }));
    expect(message).toMatch(/^[ -~]*$/);
  });
});

describe('the form of an answer', () => {
  it.each([
    ['tool', {}, '$.content is missing; MCP wants a list there.'],
    ['tool', { content: 'hi' }, '$.content is "hi"; MCP wants a list there.'],
    ['tool', { content: ['hi'] }, '$.content[0] is "hi"; MCP wants a content block there.'],
    ['tool', { content: [{ text: 'hi' }] }, '$.content[0].type is missing; MCP wants the type of the block there.'],
    ['tool', { content: [{ type: 'text' }] }, '$.content[0].text is missing; MCP wants a text there.'],
    ['tool', { content: [{ type: 'image', data: 'AA' }] }, '$.content[0].mimeType is missing; MCP wants a text there.'],
    [
      'tool',
      { content: [{ type: 'resource', resource: { uri: 'a' } }] },
      '$.content[0].resource is {"uri":"a"}; MCP wants an object with text or blob there.',
    ],
    ['tool', { content: [], isError: 'yes' }, '$.isError is "yes"; MCP wants true or false there.'],
    ['prompt', {}, '$.messages is missing; MCP wants a list there.'],
    [
      'prompt',
      { messages: [{ role: 'system', content: { type: 'text', text: '' } }] },
      '$.messages[0].role is "system"; MCP wants user or assistant there.',
    ],
    ['resource', { contents: [{ text: 'x' }] }, '$.contents[0].uri is missing; MCP wants a text there.'],
    ['tool', { resultType: 'banana' }, '$.content is missing; MCP wants a list there.'],
    ['tool', { task: {} }, '$.content is missing; MCP wants a list there.'],
    ['list', { tools: [null] }, '$.tools[0] is null; MCP wants an object there.'],
    ['list', { tools: [{ name: 5 }] }, '$.tools[0].name is 5; MCP wants a text there.'],
    ['list', { resources: [{ name: 'a' }] }, '$.resources[0].uri is missing; MCP wants a text there.'],
    ['list', { tool: [] }, '$ is {"tool":[]}; MCP wants one of the lists tools'],
  ] as const)('of a %s is wrong in %j', async (action, answer, message) => {
    const [finding] = await check({}, result(answer), { action });
    expect(finding).toMatchObject({ kind: 'form', message: expect.stringContaining(message) });
  });

  it('is free for other requests, tasks, questions, and types that are new', async () => {
    expect(await check({}, result({}), { action: 'request' })).toEqual([]);
    expect(await check({}, result({ task: { taskId: '1' } }))).toEqual([]);
    expect(await check({ asks: [] }, result({ resultType: 'input_required' }))).toEqual([]);
    expect(await check({}, result({ content: [{ type: 'hologram' }] }))).toEqual([]);
  });

  it('of a list is that of the list which was asked for', async () => {
    expect(await messages({}, result({ prompts: [] }), { action: 'list', listed: 'tools' })).toEqual([
      '$.tools is missing; MCP wants a list there.',
    ]);
    const templates = { resourceTemplates: [{ uriTemplate: 'x://{a}', name: 'x' }] };
    expect(await check({}, result(templates), { action: 'list', listed: 'templates' })).toEqual([]);
  });

  it('is told in a few findings', async () => {
    expect(await check({}, result({ content: Array(100_000).fill(1) }))).toHaveLength(5);
  });

  it('is right for a prompt, a resource and a list', async () => {
    const messagesOfPrompt = [{ role: 'user', content: { type: 'text', text: 'x' } }];
    expect(await check({}, result({ messages: messagesOfPrompt }), { action: 'prompt' })).toEqual([]);
    expect(await check({}, result({ contents: [{ uri: 'a', blob: '' }] }), { action: 'resource' })).toEqual([]);
    expect(await check({}, result({ resourceTemplates: [] }), { action: 'list' })).toEqual([]);
    expect(await check({}, text('x'))).toEqual([]);
  });
});
