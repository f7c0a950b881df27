import { PassThrough, type Readable, type Writable } from 'node:stream';
import { Client, type ClientOptions, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { type ServeStdioOptions, type StdioServer, serveStdio } from '../../src/server/stdio.js';
import type { Toolbox } from '../../src/toolbox.js';

export const eras = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof eras)[number];

export function optionsOfEra(era: Era): ClientOptions {
  return era === '2025-11-25' ? {} : { versionNegotiation: { mode: { pin: era } } };
}

export interface Connected {
  readonly client: Client;
  readonly server: StdioServer;
  /** Every frame that the server wrote, parsed. */
  readonly frames: readonly JSONRPCMessage[];
}

/** The official client, connected to a server for the toolbox over streams. */
export async function connectTo(toolbox: Toolbox, era: Era, options: ServeStdioOptions = {}): Promise<Connected> {
  const input = new PassThrough();
  const output = new PassThrough();
  const server = serveStdio(toolbox, { ...options, input, output });
  const frames: JSONRPCMessage[] = [];
  const client = new Client({ name: 'test', version: '1' }, optionsOfEra(era));
  await client.connect(createStreamTransport(output, input, frames));
  return { client, server, frames };
}

function createStreamTransport(readable: Readable, writable: Writable, frames: JSONRPCMessage[]): Transport {
  let rest = '';
  const transport: Transport = {
    async start() {
      readable.setEncoding('utf8');
      readable.on('data', (chunk: string) => {
        const lines = `${rest}${chunk}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const message: JSONRPCMessage = JSON.parse(line);
          frames.push(message);
          transport.onmessage?.(message);
        }
      });
    },
    async send(message) {
      writable.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      writable.end();
      transport.onclose?.();
    },
  };
  return transport;
}
