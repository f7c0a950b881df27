import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { describeLaunchers, failureOf, fixture, processesLeft } from './harness.js';
import { outcomeOf } from './processes.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const library = join(root, 'node_modules', '.cache', 'mcp-execution', 'tests', 'scarcity', 'engine.mjs');
/** Enough for the host itself, and for a fraction of the processes that its calls ask for. */
const fewDescriptors = 160;
const tooFewForStrict = 300;

describe.runIf(process.platform === 'linux')('a host with few descriptors', () => {
  beforeAll(() => {
    const entry = join(root, 'src', 'index.ts');
    const options = ['--bundle', '--platform=node', '--format=esm', '--packages=external', `--outfile=${library}`];
    execFileSync(join(root, 'node_modules', '.bin', 'esbuild'), [entry, ...options], { stdio: 'pipe' });
  });

  it('serves every call with the processes that it can have, and goes on serving', async () => {
    const lines = await hostWith(fewDescriptors, 'calls_with_few_descriptors.mjs');
    const [outcomes, later] = lines as [string[], string[]];
    expect(outcomes.filter((outcome) => outcome !== 'done' && outcome !== 'SPAWN_FAILED')).toEqual([]);
    expect(later.at(-1)).toBe('done');
    expect(processesLeft()).toEqual([]);
  });

  it('says of a sandbox that cannot be had so what it lacks', async () => {
    const [outcome] = await hostWith(tooFewForStrict, 'calls_strictly.mjs');
    expect(outcome).toMatch(/^SANDBOX_UNAVAILABLE .*strict needs a limit of at least \d+ open files/);
    expect(processesLeft()).toEqual([]);
  });
});

/** What a host prints, line by line, that may have only so many files open. */
async function hostWith(descriptors: number, name: string): Promise<readonly unknown[]> {
  const args = [fixture(`hosts/${name}`), library, fixture('says_a_word.py')];
  const command = ['-c', 'ulimit -n "$0" && exec "$@"', String(descriptors), process.execPath, ...args];
  const host = spawn('sh', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(host, 'exit');
  const lines: unknown[] = [];
  for await (const line of createInterface(host.stdout)) lines.push(JSON.parse(line));
  expect(await exited).toEqual([0, null]);
  return lines;
}

describe.runIf(process.platform === 'linux')('a script whose process cannot fork', () => {
  it('is told as SPAWN_FAILED by each call, and others go on', async () => {
    const engine = createEngine({ idleChildren: 1, logLevel: 'silent' });
    try {
      const script = fixture('cannot_fork_after_import.py');
      const calls = Array.from({ length: 3 }, () => failureOf(engine.call({ script, function: 'never' })));
      const errors = await Promise.all(calls);
      expect(errors.map(({ code }) => code)).toEqual(['SPAWN_FAILED', 'SPAWN_FAILED', 'SPAWN_FAILED']);
      expect(errors[0]?.message).toContain('Resource temporarily unavailable');
      const right = { script: fixture('says_a_word.py'), function: 'say', args: { word: 'right' } };
      expect((await engine.call(right)).value).toBe('right');
    } finally {
      await engine.close();
    }
    expect(processesLeft()).toEqual([]);
  });
});

describeLaunchers('processes that are killed at random', (makeEngine, launcher) => {
  it('cost their own calls at the most: each is answered, and the next one works', async () => {
    const engine = makeEngine({ concurrency: 4, idleChildren: 2, logLevel: 'silent' });
    const say = (word: string) => engine.call({ script: fixture('says_a_word.py'), function: 'say', args: { word } });
    const random = mulberry(7);
    const calls = launcher === 'fork' ? 160 : 40;
    const outcomes: unknown[] = [];
    let asked = 0;
    const client = async () => {
      while (asked < calls) {
        const word = `word ${asked++}`;
        const outcome = await outcomeOf(say(word));
        outcomes.push(outcome === word ? 'done' : outcome);
        if (random() < 0.2) killOne(random);
      }
    };
    await Promise.all(Array.from({ length: 6 }, client));
    expect(outcomes).toHaveLength(calls);
    expect(outcomes.filter((outcome) => !['done', 'PROCESS_FAILED', 'SPAWN_FAILED'].includes(String(outcome)))).toEqual(
      [],
    );
    expect(outcomes.filter((outcome) => outcome === 'done').length).toBeGreaterThan(calls / 4);
    expect((await say('after')).value).toBe('after');
  });
});

function killOne(random: () => number): void {
  const pids = processesLeft().map((line) => Number.parseInt(line, 10));
  const pid = pids[Math.floor(random() * pids.length)];
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

/** A small generator of numbers that are the same in every run. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const again = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((again ^ (again >>> 14)) >>> 0) / 4294967296;
  };
}
