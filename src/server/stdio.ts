import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../log.js';
import type { Toolbox } from '../toolbox.js';
import { askPerson } from './asking.js';
import { type Connection, createServer } from './connection.js';
import { longestAnswerBytes } from './messages.js';
import { createResultStore } from './store.js';
import { createLineTransport } from './transport.js';

export interface ServeStdioOptions {
  /** What the server says of itself. */
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly instructions?: string;
  /** Also write `{"jsonrpc":"2.0","id":…,"partial":true,…}` for each event of a call. */
  readonly partial?: boolean;
  readonly previewBytes?: number;
  readonly maxMessageBytes?: number;
  /** Answers that may wait to be read before no more requests are; at eight times as many the client is given up. */
  readonly maxUnreadBytes?: number;
  readonly log?: Log;
  readonly input?: Readable;
  readonly output?: Writable;
  /** Whether the client is gone for certain at the end of input. Not given: calls under way have a moment to be answered. */
  readonly isOrphaned?: () => boolean;
  /** Told whenever a list of tools is on its way. */
  readonly onListed?: () => void;
}

export interface StdioServer {
  /** Resolves when the client is gone, or after `close`. Calls under way are cancelled by then. */
  readonly closed: Promise<void>;
  /** Tells the client that the list of tools is another one. */
  toolsChanged(): void;
  /** Asks the person for a yes or no, by the client; nothing where the client cannot ask. */
  ask(message: string, signal: AbortSignal): Promise<boolean | undefined>;
  close(): Promise<void>;
}

const defaultPreviewBytes = 64 * 1024;
/** A result that is shown whole has to fit into one message, with its structured content beside the text. */
const largestPreviewBytes = longestAnswerBytes / 4;

/** Serves a toolbox to one MCP client on stdio, of either era of the protocol. The toolbox stays the caller's to close. */
export function serveStdio(toolbox: Toolbox, options: ServeStdioOptions = {}): StdioServer {
  const { input = process.stdin, output = process.stdout, maxMessageBytes, log } = options;
  const { name = 'mcp-execution', version = '0', title, instructions } = options;
  const transport = createLineTransport({
    input,
    output,
    maxMessageBytes,
    maxUnreadBytes: options.maxUnreadBytes,
    isOrphaned: options.isOrphaned,
    onGivenUp: (unreadBytes) => log?.error('the client reads nothing: the connection is closed', { unreadBytes }),
  });
  const servers = new Set<Server>();
  /** That of a client to which requests can be sent, which those of the newer era are not. */
  let asking: Server | undefined;
  const connection: Connection = {
    toolbox,
    identity: { name, version, ...(title !== undefined && { title }) },
    instructions,
    session: randomUUID(),
    store: createResultStore(),
    previewBytes: Math.min(options.previewBytes ?? defaultPreviewBytes, largestPreviewBytes),
    log,
    onListed: options.onListed,
    writePartial: options.partial === true ? transport.write : undefined,
  };
  const handle = serveConnection(
    ({ era }) => {
      const server = createServer(connection);
      servers.add(server);
      asking = era === 'legacy' ? server : undefined;
      server.onclose = () => servers.delete(server);
      return server;
    },
    { transport, onerror: (error) => log?.debug('the connection reported an error', { error }) },
  );
  return {
    closed: transport.closed,
    toolsChanged() {
      for (const server of servers) server.sendToolListChanged().catch(() => {});
    },
    ask: (message, signal) => askPerson(asking, message, { signal, log }),
    async close() {
      await handle.close();
      await transport.close();
    },
  };
}
