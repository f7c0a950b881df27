import { join } from 'node:path';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { CommandTarget } from '../../../src/client/target.js';
import { createLog } from '../../../src/log.js';
import { type Bridge, openBridge } from '../../../src/services/conformance/bridge/bridge.js';

export const quiet = createLog({ level: 'silent' });

/** A server that has all that the official suite asks for. */
export const conforming = serverOf(join(import.meta.dirname, 'servers/conforming.mjs'));

export function serverOf(file: string, ...args: string[]): CommandTarget {
  return { kind: 'command', command: process.execPath, args: [file, ...args] };
}

export async function bridgeTo(target: CommandTarget): Promise<Bridge> {
  const bridge = await openBridge(target, { log: quiet });
  onTestFinished(() => bridge.close());
  return bridge;
}

/** The official client, in a session of its own, until the test ends. */
export async function connectTo(bridge: Bridge): Promise<Client> {
  const client = await clientOf(bridge);
  onTestFinished(() => client.close());
  return client;
}

export async function clientOf({ url }: Bridge, options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

export function textOf(result: unknown): string {
  const { content } = result as { content: readonly { text?: string }[] };
  return content[0]?.text ?? '';
}

/** Whether a process is gone, within a time in which it has to be. */
export async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 200; look++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}
