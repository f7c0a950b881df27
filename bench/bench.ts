import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findPython } from '../src/python/interpreter.js';
import { measureCode } from './code.js';
import type { Contender } from './contenders/contender.js';
import { measureDiscovery } from './discovery.js';
import { measureHarness } from './harness.js';
import { describeMachine } from './machine.js';
import { readOptions } from './options.js';
import { answerProbe, measureMemory, measureStart } from './probes.js';
import { report } from './report.js';
import { type Comparison, type Extent, measureRounds } from './rounds.js';
import { measureListings } from './serving.js';
import type { Results } from './targets.js';
import { type WorkloadName, workloads } from './workloads.js';

const full: Extent = { rounds: 15, budgetMs: 75_000 };
const quick: Extent = { rounds: 3, budgetMs: 8000 };
const options = readOptions(process.argv.slice(2));
if (options.probe.length > 0) process.stdout.write(JSON.stringify(await answerProbe(options.probe)));
else await bench();

async function bench(): Promise<void> {
  const interpreter = await findPython();
  const results = await measureAll(interpreter.executable);
  const text = report(results, describeMachine(interpreter.version));
  process.stdout.write(text);
  if (options.keep) await writeFile(resolve('bench', 'RESULTS.md'), text);
}

/** Memory and start come first, while no other Python process shares pages with theirs. */
async function measureAll(python: string): Promise<Results> {
  const memory = options.only.includes('memory') ? await allMemory() : [];
  const starts = options.only.includes('start') ? await allStarts(options.quick ? 2 : 7) : [];
  const listings = options.only.includes('listing') ? await measureListings(options.quick ? 3 : 15) : undefined;
  const discovery = options.only.includes('discovery') ? await measureDiscovery(options.quick ? 1 : 3) : undefined;
  const code = options.only.includes('code') ? await measureCode(options.quick ? 3 : 15) : undefined;
  const harness = options.only.includes('harness') ? await measureHarness(options.quick ? 2 : 9) : undefined;
  const measured = new Map<WorkloadName, Comparison>();
  for (const { name, title, createContenders } of workloads) {
    if (!options.only.includes(name)) continue;
    process.stderr.write(`${title} `);
    measured.set(name, await measureAndClose(await createContenders(python)));
  }
  return { workloads: measured, memory, starts, listings, discovery, code, harness };
}

async function measureAndClose(contenders: readonly Contender[]): Promise<Comparison> {
  try {
    return await measureRounds(contenders, options.quick ? quick : full);
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()));
  }
}

async function allMemory(): Promise<Results['memory']> {
  process.stderr.write('Memory ...\n');
  const trivial = { name: 'trivial script, forked ahead', memory: await measureMemory('trivial', 'fork') };
  if (options.quick) return [trivial];
  return [
    trivial,
    { name: 'heavy imports, forked ahead', memory: await measureMemory('heavy', 'fork') },
    { name: 'trivial script, warm interpreters', memory: await measureMemory('trivial', 'warm') },
  ];
}

async function allStarts(times: number): Promise<Results['starts']> {
  process.stderr.write('Start ...\n');
  const found = [];
  for (let time = 0; time < times; time++) {
    found.push({ name: 'fork', start: await measureStart('fork') });
    found.push({ name: 'fork, strict', start: await measureStart('fork', 'strict') });
    found.push({ name: 'warm', start: await measureStart('warm') });
  }
  return found;
}
