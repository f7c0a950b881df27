import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childrenOf } from '../engine/processes.js';
import { callTool, startGateway } from '../gateway/gateway-process.js';
import { createFolder } from '../interpreter/scripts.js';
import { tellFigure } from './figures.js';

const calls = 5000;
const clients = 8;
const killEveryMs = 150;
const shareOfParents = 0.1;
const fewestDone = calls * 0.9;
const script = join(import.meta.dirname, 'scripts', 'notes_each_call.py');
const understandable = ['PROCESS_FAILED', 'SPAWN_FAILED', 'WIRE_BROKEN', 'CIRCUIT_OPEN'];

describe('5,000 calls while processes are killed at random', () => {
  it('each get a result or a clear error, none hangs and none is done twice, and the next call works', async () => {
    const notes = join(await createFolder(), 'notes');
    // The breaker would keep calls away from what is being killed, and this is about those that meet it.
    const gateway = await startGateway([script, '--breaker-failures', '1000000'], { NOTES: notes });
    await callTool(gateway.url, 'notes_each_call', 'note', { call: 'before' });
    const killer = setInterval(() => killOne(gateway.pid), killEveryMs);
    const outcomes = new Map<string, number>();
    let next = 0;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (next < calls) {
          const call = `call-${next++}`;
          const { status, body } = await callTool(gateway.url, 'notes_each_call', 'note', { call });
          const outcome = status === 200 ? 'done' : (body.error?.code ?? `status ${status}`);
          if (status === 200) expect(body.structuredContent).toEqual({ result: call });
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
      }),
    );
    clearInterval(killer);
    const startedAt = performance.now();
    const after = await callTool(gateway.url, 'notes_each_call', 'note', { call: 'after' });
    const recoveryMs = performance.now() - startedAt;
    expect(after.status).toBe(200);
    expect([...outcomes.keys()].filter((code) => code !== 'done' && !understandable.includes(code))).toEqual([]);
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(calls);
    expect(outcomes.size).toBeGreaterThan(1);
    expect(outcomes.get('done')).toBeGreaterThan(fewestDone);
    const noted = (await readFile(notes, 'utf8')).trim().split('\n');
    expect(noted.length).toBe(new Set(noted).size);
    const codes = [...outcomes].map(([code, count]) => `${count} ${code}`).join(', ');
    await tellFigure('5,000 calls while processes are killed', 'a result or a clear error each, none doubled', codes);
    await tellFigure('the call after the last kill', '< 1000 ms', `${Math.ceil(recoveryMs)} ms`);
    expect(noted.length).toBeGreaterThanOrEqual((outcomes.get('done') ?? 0) + 2);
  }, 300_000);
});

/** A process that serves a call or waits for one; now and then one that others are forked from. */
function killOne(gateway: number): void {
  const all = below(gateway);
  const workers = all.filter((pid) => below(pid).length === 0);
  const victims = Math.random() < shareOfParents ? all : workers;
  const victim = victims[Math.floor(Math.random() * victims.length)];
  if (victim === undefined) return;
  try {
    process.kill(victim, 'SIGKILL');
  } catch {
    // It was gone by then.
  }
}

function below(pid: number): number[] {
  try {
    return childrenOf(pid).flatMap((child) => [child, ...below(child)]);
  } catch {
    return [];
  }
}
