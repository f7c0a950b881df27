import { type Address, events, json, nothing, type Parameter } from './operation.js';

export const callHeaders: readonly Parameter[] = [
  header(
    'Idempotency-Key',
    'A repetition of the request with the same key gets the same answer, and is not run again.',
  ),
  header('X-Timeout-Ms', 'Less time than the gateway gives by itself.', { type: 'integer', minimum: 1 }),
  header('X-Priority', 'Waiting calls of higher priority go first.', { type: 'integer' }),
  header('X-Session', 'Calls that name the same session share state, where the tools keep any.'),
  header('traceparent', 'The W3C trace context that the call belongs to.'),
];

const stream: Parameter = {
  in: 'query',
  name: 'stream',
  description: 'The event stream that the frames go to; the request itself is then answered with 202.',
};

const mcpSession = header('Mcp-Session-Id', 'The session, as the answer to initialize gave it.');
const lastEvent = header('Last-Event-ID', 'The last event that was heard; what came after it is said again.');

/** Ways of calling tools. */
export const callAddresses: readonly Address[] = [
  {
    method: 'post',
    path: '/api/v1/services/{service}/tools/{tool}',
    id: 'callTool',
    summary: 'Call a tool',
    description:
      'The body is the object of arguments; none counts as {}. With "Accept: text/event-stream" the output comes as it is written, as events partial, and then one event result or error.',
    scope: 'call',
    parameters: callHeaders,
    body: json({ type: 'object' }),
    answers: { 200: { ...json('Answer'), ...events } },
    failure: 'FailedCall',
  },
  {
    method: 'get',
    path: '/api/v1/stream/{service}',
    id: 'openStream',
    summary: 'Open an event stream',
    description:
      'The first event gives the id of the stream and the address for requests. The frames of requests that name the stream go to it alone: partial, result, and events called error. Each has an id; whoever comes back with Last-Event-ID loses nothing that is kept, and an event called gap tells of what is not.',
    scope: 'call',
    parameters: [
      {
        in: 'query',
        name: 'once',
        description: 'Closes after the answer to the first request.',
        schema: { type: 'boolean' },
      },
      { in: 'query', name: 'lastEventId', description: 'Last-Event-ID, for clients that cannot set headers.' },
      lastEvent,
    ],
    answers: { 200: events, 204: nothing },
  },
  {
    method: 'delete',
    path: '/api/v1/stream/{service}/{stream}',
    id: 'endStream',
    summary: 'End an event stream, and cancel what is under way on it',
    scope: 'call',
    answers: { 204: nothing },
  },
  ...(['/api/v1/mcp/{service}', '/mcp'] as const).flatMap((path) => mcpAddresses(path)),
  ...(['/api/v1/sse/{service}', '/sse'] as const).flatMap((path) => sseAddresses(path)),
];

function mcpAddresses(path: string): readonly Address[] {
  const ofAll = path === '/mcp';
  const what = ofAll ? 'all services' : 'a service';
  const suffix = ofAll ? 'OfAll' : '';
  return [
    {
      method: 'post',
      path,
      id: `postMcp${suffix}`,
      summary: `JSON-RPC and MCP (Streamable HTTP) to ${what}`,
      scope: 'call',
      parameters: [...callHeaders, mcpSession, ...(ofAll ? [] : [stream])],
      body: json('JsonRpcRequest'),
      answers: { 200: { ...json('JsonRpcAnswer'), ...events }, 202: nothing },
      failure: 'JsonRpcAnswer',
    },
    {
      method: 'get',
      path,
      id: `listenMcp${suffix}`,
      summary: `What ${what} say by themselves in an MCP session`.replace('a service say', 'a service says'),
      scope: 'call',
      parameters: [mcpSession, lastEvent],
      answers: { 200: events },
      failure: 'JsonRpcAnswer',
    },
    {
      method: 'delete',
      path,
      id: `endMcpSession${suffix}`,
      summary: `End an MCP session with ${what}`,
      scope: 'call',
      parameters: [mcpSession],
      answers: { 200: nothing },
      failure: 'JsonRpcAnswer',
    },
  ];
}

function sseAddresses(path: string): readonly Address[] {
  const ofAll = path === '/sse';
  const suffix = ofAll ? 'OfAll' : '';
  const what = ofAll ? 'all services' : 'a service';
  return [
    {
      method: 'get',
      path,
      id: `openSse${suffix}`,
      summary: `The older HTTP+SSE form of MCP to ${what}`,
      scope: 'call',
      answers: { 200: events },
    },
    {
      method: 'post',
      path: `${path}/messages`,
      id: `postSse${suffix}`,
      summary: `A message in the older form of MCP to ${what}`,
      scope: 'call',
      parameters: [{ in: 'query', name: 'session', description: 'As the first event of the stream gave it.' }],
      body: json('JsonRpcRequest'),
      answers: { 202: nothing },
      failure: 'JsonRpcAnswer',
    },
  ];
}

function header(name: string, description: string, schema?: Parameter['schema']): Parameter {
  return { in: 'header', name, description, ...(schema && { schema }) };
}
