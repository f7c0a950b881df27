import { describe, expect, it } from 'vitest';
import { registerMcp } from '../../../src/gateway/mcp/mcp.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { startApp, type TestApp } from '../harness.js';
import { accept, beginSession, callOf, createMoment, eventsOf, post } from './clients.js';

const line = 'x'.repeat(64 * 1024);
const mostLines = 2000;

/** A tool that writes without end, and tells how much it had written when it was first held back. */
function flooding() {
  const heldBack = createMoment<number>();
  let mayEnd = false;
  const tools = new FakeToolbox({
    flood: async (_args, { onEvent }) => {
      for (let count = 1; count <= mostLines && !mayEnd; count++) {
        const room = onEvent?.({ type: 'output', stream: 'stdout', line });
        if (await isHeldBack(room)) heldBack.come(count);
        await room;
      }
      heldBack.come(mostLines);
      return text('the result');
    },
  });
  return { tools, heldBack: heldBack.moment, end: () => (mayEnd = true) };
}

/** Held back is what waits longer than the event loop needs to hand on what it has. */
async function isHeldBack(room: void | Promise<void>): Promise<boolean> {
  let isDone = false;
  void room?.then(() => {
    isDone = true;
  });
  for (let turns = 0; turns < 2000 && room && !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
  return room !== undefined && !isDone;
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modernHeaders = {
  accept,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'flood',
};

describe('a client that does not read', () => {
  it.each<[string, object, (app: TestApp) => Promise<Readonly<Record<string, string>>>]>([
    ['plain JSON-RPC by events', {}, async () => ({ accept })],
    ['a session', {}, beginSession],
    ['a request of 2026-07-28', envelope, async () => modernHeaders],
  ])('holds the output of its tool back: %s', async (_name, meta, headersFor) => {
    const { tools, heldBack, end } = flooding();
    const app = await startApp([registerMcp], { services: { tools } });
    const headers = await headersFor(app);
    const response = await post(app, callOf(1, 'flood', {}, { progressToken: 1, ...meta }), { headers });
    expect(await heldBack).toBeLessThan(mostLines / 2);
    end();
    expect((await eventsOf(response)).at(-1)?.data).toContain('the result');
  });
});
