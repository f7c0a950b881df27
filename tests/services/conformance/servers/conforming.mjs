import { setTimeout as pause } from 'node:timers/promises';
import { inputRequired, ProtocolError, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** What the official conformance suite asks of a server, on standard input and output. */
function createServer() {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} };
  const server = new Server({ name: 'conforming', version: '1.0.0' }, { capabilities });
  server.setRequestHandler('tools/list', () => ({ tools: Object.keys(tools).map(describeTool) }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = tools[params.name];
    if (!tool) throw new ProtocolError(-32602, `There is no tool ${params.name}`);
    return tool(params.arguments ?? {}, mcpReq, server);
  });
  server.setRequestHandler('resources/list', () => ({ resources: Object.keys(resources).map(describeResource) }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description: 'By id' }],
  }));
  server.setRequestHandler('resources/read', ({ params }) => ({
    contents: [{ uri: params.uri, ...read(params.uri) }],
  }));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({ prompts: Object.values(prompts).map(({ prompt }) => prompt) }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const found = prompts[params.name];
    if (!found) throw new ProtocolError(-32602, `There is no prompt ${params.name}`);
    return { messages: found.say(params.arguments ?? {}).map((content) => ({ role: 'user', content })) };
  });
  server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  server.setRequestHandler('logging/setLevel', () => ({}));
  return server;
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'image', data: png, mimeType: 'image/png' };
const text = (value) => ({ type: 'text', text: value });
const resource = (uri, value) => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: value } });

let cancelled = 0;

const tools = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({ content: [resource('test://embedded', 'This is an embedded resource content.')] }),
  test_multiple_content_types: () => ({
    content: [text('Mixed:'), image, resource('test://mixed', '{"test":"data"}')],
  }),
  test_error_handling: () => ({ content: [text('This tool intentionally returns an error')], isError: true }),
  test_tool_with_logging: async (_args, { notify }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await notify({ method: 'notifications/message', params: { level: 'info', data } });
      await pause(50);
    }
    return { content: [text('done')] };
  },
  test_tool_with_progress: async (_args, { notify, _meta }) => {
    const progressToken = _meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await pause(10);
    }
    return { content: [text('done')] };
  },
  test_sampling: ({ prompt }, { inputResponses }) => {
    if (inputResponses?.reply) return { content: [text(`LLM response: ${inputResponses.reply.content.text}`)] };
    const messages = [{ role: 'user', content: text(prompt) }];
    return inputRequired({ inputRequests: { reply: inputRequired.createMessage({ messages, maxTokens: 100 }) } });
  },
  test_elicitation: ({ message }, { inputResponses }) =>
    ask(inputResponses, message, { username: { type: 'string' }, email: { type: 'string' } }),
  test_elicitation_sep1034_defaults: (_args, { inputResponses }) =>
    ask(inputResponses, 'Defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  test_elicitation_sep1330_enums: (_args, { inputResponses }) =>
    ask(inputResponses, 'Choices', {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled('value1', 'value2', 'value3') },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled('value1', 'value2', 'value3') } },
    }),
  pid: () => ({ content: [text(String(process.pid))] }),
  change: async (_args, _request, server) => {
    await server.notification({
      method: 'notifications/resources/updated',
      params: { uri: 'test://watched-resource' },
    });
    return { content: [text('changed')] };
  },
  wait: (_args, { signal, notify, _meta }) =>
    new Promise((_resolve, reject) => {
      const params = { progressToken: _meta?.progressToken, progress: 0 };
      void notify({ method: 'notifications/progress', params });
      signal.addEventListener('abort', () => {
        cancelled += 1;
        reject(new Error('cancelled'));
      });
    }),
  cancelled: () => ({ content: [text(String(cancelled))] }),
  die: () => process.exit(7),
};

function titled(...values) {
  return values.map((value) => ({ const: value, title: `The ${value}` }));
}

function ask(responses, message, properties) {
  if (responses?.answer) return { content: [text(`User response: ${JSON.stringify(responses.answer)}`)] };
  const requestedSchema = { type: 'object', properties, required: [] };
  return inputRequired({ inputRequests: { answer: inputRequired.elicit({ message, requestedSchema }) } });
}

function describeTool(name) {
  return { name, description: `Does ${name}`, inputSchema: { type: 'object' } };
}

const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched' },
};

function describeResource(uri) {
  return {
    uri,
    name: uri.slice('test://'.length),
    description: `The resource ${uri}`,
    mimeType: resources[uri].mimeType,
  };
}

function read(uri) {
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) return { mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ${id}` }) };
  if (!resources[uri]) throw new ProtocolError(-32602, `There is no resource ${uri}`, { uri });
  return resources[uri];
}

const prompts = {
  test_simple_prompt: prompt('test_simple_prompt', [], () => [text('This is a simple prompt for testing.')]),
  test_prompt_with_arguments: prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ]),
  test_prompt_with_embedded_resource: prompt('test_prompt_with_embedded_resource', ['resourceUri'], (args) => [
    resource(args.resourceUri, 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ]),
  test_prompt_with_image: prompt('test_prompt_with_image', [], () => [image, text('Please analyze the image above.')]),
};

function prompt(name, names, say) {
  const args = names.map((each) => ({ name: each, description: `The ${each}`, required: true }));
  return { prompt: { name, description: `Says ${name}`, arguments: args }, say };
}

serveStdio(createServer);
