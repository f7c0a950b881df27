import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callTool, startGateway } from '../gateway/gateway-process.js';
import { tellFigure } from './figures.js';

const streams = 1000;
const heartbeats = 3;
const mostBytes = 40 * 1024;
const script = join(import.meta.dirname, '../../examples/word-count/word_count.py');

describe('1,000 event streams', () => {
  it('each get their heartbeats while calls go on, and take less than 40 KB each', async () => {
    const flags = ['--heartbeat-ms', '1000', '--max-streams-per-client', '1100'];
    const { url } = await startGateway([script, ...flags]);
    await callMany(url, 200);
    const before = await residentBytes(url);
    const opened = await Promise.all(Array.from({ length: streams }, () => openStream(url)));
    const each = ((await residentBytes(url)) - before) / streams;
    let answered = 0;
    while (opened.some(({ beats }) => beats() < heartbeats)) answered += await callMany(url, 8);
    const seen = `${Math.round(each / 1024)} KB, ${answered} calls meanwhile`;
    await tellFigure('memory per idle stream, of 1,000', '< 40 KB, while calls go on', seen);
    expect(answered).toBeGreaterThan(0);
    expect(each).toBeLessThan(mostBytes);
    expect(await gauge(url, /^mcp_execution_connections\{[^}]*stream[^}]*\} (\d+)/m)).toBe(streams);
  }, 120_000);
});

async function callMany(url: string, calls: number): Promise<number> {
  let next = 0;
  const clients = Array.from({ length: 8 }, async () => {
    while (next++ < calls) {
      const { status } = await callTool(url, 'word_count', 'count', { text: 'to be or not to be' });
      expect(status).toBe(200);
    }
  });
  await Promise.all(clients);
  return calls;
}

async function openStream(url: string): Promise<{ beats(): number }> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let beats = 0;
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('event: stream')) resolve();
      if (text.includes(': beat')) beats++;
    });
    socket.write('GET /api/v1/stream/word_count HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n');
  });
  return { beats: () => beats };
}

/** The smallest of a few looks: what the collector has not taken away yet is not what a stream takes. */
async function residentBytes(url: string): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 5; look++) {
    looks.push(await gauge(url, /^process_resident_memory_bytes (\d+)/m));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return Math.min(...looks);
}

async function gauge(url: string, form: RegExp): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(form.exec(text)?.[1]);
}
