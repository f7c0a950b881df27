import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../src/gateway/access/keys.js';
import { canMakeLinks, makeBadLink } from './bad-link.js';
import { longMs, longScript, say, scaled } from './scale.js';
import { counted, startCounting } from './streams.js';

interface Heard {
  readonly lines: readonly string[];
  readonly gaps: number;
  readonly connections: number;
}

describe.runIf(canMakeLinks)('a stream over a bad network', () => {
  it('loses nothing by delay, loss and cuts', { timeout: longMs }, async () => {
    const link = await makeBadLink({ delayMs: 40, jitterMs: 20, lossPercent: 5 });
    const { key, entry } = createKey({ name: 'afar', scopes: ['call'] });
    const settings = { host: link.address, heartbeatMs: 500 };
    const { url } = await startCounting({ settings, keys: [entry] });
    const count = scaled(1500);
    const client = follow(link.namespace, [url, key, String(count), '0.01']);
    const cuts = [0.2, 0.5].map((part) => Math.round(count * part));
    let heard: Heard | undefined;
    for await (const line of client) {
      if (line.startsWith('{')) heard = (JSON.parse(line) as { end: Heard }).end;
      if (!cuts.includes(Number(line))) continue;
      link.down();
      // Longer than the client stays silent for, so that it has to come back.
      setTimeout(() => link.up(), 4000);
    }
    expect(heard?.lines).toEqual(counted(count));
    expect(heard?.gaps).toBe(0);
    expect(heard?.connections).toBeGreaterThan(1);
    say(`a bad network by ${link.by}: ${count} lines over ${heard?.connections} connections`);
  });
});

/** The lines that the client in the namespace writes. */
function follow(namespace: string, args: readonly string[]) {
  const script = longScript('follows_a_stream.mjs');
  const words = ['netns', 'exec', namespace, process.execPath, script, ...args];
  const child = spawn('ip', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return createInterface({ input: child.stdout });
}
