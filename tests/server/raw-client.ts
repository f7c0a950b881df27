import { PassThrough, type Readable } from 'node:stream';
import { type ServeStdioOptions, type StdioServer, serveStdio } from '../../src/server/stdio.js';
import type { Toolbox } from '../../src/toolbox.js';

export type Frame = Readonly<Record<string, unknown>>;

/** A client that writes lines as they are given and reads frames, over streams. */
export interface RawClient {
  readonly server: StdioServer;
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly frames: readonly Frame[];
  write(message: unknown): void;
  writeText(text: string | Buffer): void;
  /** The first frame, from now or from before, that the test fits. */
  frame(test: (frame: Frame) => boolean): Promise<Frame>;
  answer(id: unknown): Promise<Frame>;
  initialize(): Promise<void>;
}

export function createRawClient(toolbox: Toolbox, options: ServeStdioOptions = {}): RawClient {
  const input = new PassThrough();
  const output = new PassThrough();
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const server = serveStdio(toolbox, { ...options, input, output });
  collect(output, (frame) => {
    frames.push(frame);
    for (const look of waiting) look();
  }).catch(() => {});
  const client: RawClient = {
    server,
    input,
    output,
    frames,
    write: (message) => client.writeText(`${JSON.stringify(message)}\n`),
    writeText: (text) => void input.write(text),
    frame: (test) =>
      new Promise((resolve) => {
        const look = () => {
          const found = frames.find(test);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    answer: (id) => client.frame((frame) => frame.id === id && !('partial' in frame)),
    async initialize() {
      client.write(initialize);
      await client.answer('initialize');
      client.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    },
  };
  return client;
}

export const initialize = {
  jsonrpc: '2.0',
  id: 'initialize',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

async function collect(output: Readable, onFrame: (frame: Frame) => void): Promise<void> {
  let rest = '';
  output.setEncoding('utf8');
  for await (const chunk of output) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onFrame(JSON.parse(line));
  }
}
