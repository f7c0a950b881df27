import { describe, expect, it } from 'vitest';
import { createGate } from '../../../src/gateway/mcp/gate.js';

function answer(parts: readonly string[]) {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(encoder.encode(part));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

describe('a gate', () => {
  it('is open until a part was taken, and again when the next one is asked for', async () => {
    const gate = createGate();
    const reader = gate.watch(answer(['one'])).body?.getReader();
    expect(gate.room()).toBeUndefined();
    await reader?.read();
    const room = gate.room();
    expect(room).toBeInstanceOf(Promise);
    void reader?.read();
    await room;
    expect(gate.room()).toBeUndefined();
  });

  it('opens when the answer is given up', async () => {
    const gate = createGate();
    const reader = gate.watch(answer(['one'])).body?.getReader();
    await reader?.read();
    const room = gate.room();
    await reader?.cancel();
    await room;
    expect(gate.room()).toBeUndefined();
  });

  it('is shut as long as one of several answers is not read', async () => {
    const gate = createGate();
    const [first, second] = [answer(['one']), answer(['one'])].map((each) => gate.watch(each).body?.getReader());
    await first?.read();
    await second?.read();
    await first?.cancel();
    expect(gate.room()).toBeInstanceOf(Promise);
    await second?.cancel();
    expect(gate.room()).toBeUndefined();
  });

  it('lets an answer pass that is not of events', () => {
    const response = Response.json({});
    expect(createGate().watch(response)).toBe(response);
  });
});
