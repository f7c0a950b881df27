import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { longScript } from './scale.js';

/** Whether this machine lets us make a network of our own. */
export const canMakeLinks = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/sbin/ip');

export interface BadLink {
  /** The address of this end. */
  readonly address: string;
  /** The namespace behind the other end. */
  readonly namespace: string;
  readonly by: 'netem' | 'tun';
  down(): void;
  up(): void;
}

export interface Badness {
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly lossPercent: number;
}

const [near, far] = ['10.203.77.1', '10.203.77.2'];

/** A link to a network namespace that delays and loses packets, and can be cut: by netem where the kernel has it. */
export async function makeBadLink(badness: Badness): Promise<BadLink> {
  const id = process.pid % 100_000;
  const [namespace, nearName, farName] = [`mcpx${id}`, `mcpxn${id}`, `mcpxf${id}`];
  run('ip', ['netns', 'add', namespace]);
  onTestFinished(() => run('ip', ['netns', 'del', namespace]));
  run('ip', ['link', 'add', nearName, 'type', 'veth', 'peer', 'name', farName, 'netns', namespace]);
  const inside = (...words: string[]) => run('ip', ['netns', 'exec', namespace, ...words]);
  const isNetem = makeWorse(nearName, badness) && makeWorse(farName, badness, namespace);
  if (!isNetem) {
    run('ip', ['link', 'del', nearName]);
    await startForwarder([nearName, farName, namespace], badness);
  }
  run('ip', ['addr', 'add', near, 'peer', far, 'dev', nearName]);
  inside('ip', 'addr', 'add', far, 'peer', near, 'dev', farName);
  inside('ip', 'link', 'set', farName, 'up');
  const set = (state: string) => {
    run('ip', ['link', 'set', nearName, state]);
    // The way to a point goes with the device, and comes back with it only where the kernel made it.
    if (state === 'up') run('ip', ['route', 'replace', far, 'dev', nearName, 'src', near]);
  };
  set('up');
  return { address: near, namespace, by: isNetem ? 'netem' : 'tun', down: () => set('down'), up: () => set('up') };
}

function makeWorse(device: string, { delayMs, jitterMs, lossPercent }: Badness, namespace?: string): boolean {
  const netem = ['netem', 'delay', `${delayMs}ms`, `${jitterMs}ms`, 'loss', `${lossPercent}%`];
  const words = ['qdisc', 'add', 'dev', device, 'root', ...netem];
  try {
    run(namespace ? 'ip' : 'tc', namespace ? ['netns', 'exec', namespace, 'tc', ...words] : words);
    return true;
  } catch {
    return false;
  }
}

async function startForwarder(names: readonly string[], { delayMs, jitterMs, lossPercent }: Badness): Promise<void> {
  const figures = [delayMs / 1000, jitterMs / 1000, lossPercent / 100].map(String);
  const child = spawn('python3', [longScript('bad_link.py'), ...names, ...figures], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    child.stdin.end();
    await gone;
  });
  for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') return;
  throw new Error('the link could not be made');
}

function run(command: string, words: readonly string[]): void {
  execFileSync(command, words, { stdio: ['ignore', 'ignore', 'pipe'] });
}
