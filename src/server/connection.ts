import { type Implementation, type ListToolsResult, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Log } from '../log.js';
import type { LogLevel, Tool, Toolbox } from '../toolbox.js';
import { callTool } from './calls.js';
import { protocolError } from './failures.js';
import { pageOf, refuseCursor } from './pages.js';
import { listResults, readResult, resultTemplate } from './resources.js';
import type { ResultStore } from './store.js';

/** What lasts as long as the connection, whichever era of the protocol is spoken on it. */
export interface Connection {
  readonly toolbox: Toolbox;
  readonly identity: Implementation;
  readonly instructions?: string;
  readonly session: string;
  readonly store: ResultStore;
  readonly previewBytes: number;
  readonly log?: Log;
  /** What the calls of one request go to, where requests of several callers share the connection. */
  readonly toolboxOf?: (context: ServerContext) => Pick<Toolbox, 'call'>;
  readonly onListed?: () => void;
  readonly writePartial?: (message: object) => Promise<void>;
}

export function createServer(connection: Connection): Server {
  const { toolbox, store, log } = connection;
  let logLevel: LogLevel | undefined;
  const server = new Server(connection.identity, {
    capabilities: { tools: { listChanged: true }, resources: {}, logging: {} },
    instructions: connection.instructions,
    jsonSchemaValidator: noSchemaValidator,
  });

  server.setRequestHandler('tools/list', async ({ params }): Promise<ListToolsResult> => {
    const { items, nextCursor } = pageOf(await toolbox.listTools().catch(refuse), params?.cursor);
    if (connection.onListed) setImmediate(connection.onListed);
    return { tools: items.map(listedTool), ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler('tools/call', (request, context) =>
    callTool(connection, request, context, logLevel).catch(refuse),
  );
  server.setRequestHandler('resources/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { resources: listResults(store) };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates: [resultTemplate] };
  });
  server.setRequestHandler('resources/read', ({ params }) => readResult(store, params.uri));
  server.setRequestHandler('logging/setLevel', ({ params }) => {
    logLevel = params.level;
    return {};
  });
  server.onerror = (error) => log?.debug('the protocol reported an error', { error });
  return server;

  /** The SDK would pass on the message of any error. */
  function refuse(error: unknown): never {
    throw protocolError(error, log);
  }
}

/** Arguments and results are checked by the toolbox; the SDK would use this for answers to questions, which are not asked. */
const noSchemaValidator = {
  getValidator(): never {
    throw new Error('This server validates no answers of clients');
  },
};

function listedTool({ name, title, description, inputSchema, outputSchema, annotations }: Tool): ListedTool {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { ...inputSchema, type: 'object' },
    ...(outputSchema && { outputSchema: { ...outputSchema, type: 'object' } }),
    ...(annotations && { annotations: { ...annotations } }),
  };
}

type ListedTool = ListToolsResult['tools'][number];
