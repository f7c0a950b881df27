import { type Contender, pause } from './contenders/contender.js';
import { median, percentile } from './figures.js';

export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface Measured {
  readonly name: string;
  /** One call at a time, each after a pause in which a process is made ready. */
  readonly alone: Latency;
  readonly backToBack: Latency;
  readonly perSecond: number;
  /** How many times the first contender's figure; taken in each round, the median of these. */
  readonly aloneRatio: number;
  readonly perSecondRatio: number;
}

export interface Comparison {
  readonly rounds: number;
  readonly contenders: readonly Measured[];
}

/** As many rounds as there is time for, but never fewer than two. */
export interface Extent {
  readonly rounds: number;
  readonly budgetMs: number;
}

interface Round {
  readonly alone: readonly number[];
  readonly backToBack: readonly number[];
  readonly perSecond: number;
}

const gapMs = 3;
const slots = 8;
const warmUpCalls = 16;
const fewestRounds = 2;

/** All contenders in each round, every round begun by another one, so that noise hits all alike. */
export async function measureRounds(contenders: readonly Contender[], extent: Extent): Promise<Comparison> {
  const done = contenders.map((): Round[] => []);
  for (const contender of contenders) await callAtOnce(contender, warmUpCalls);
  const deadline = performance.now() + extent.budgetMs;
  let rounds = 0;
  while (rounds < extent.rounds && (rounds < fewestRounds || performance.now() < deadline)) {
    for (const index of rotated(contenders.length, rounds)) {
      const contender = contenders[index];
      if (contender) done[index]?.push(await measureRound(contender));
    }
    rounds++;
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  return { rounds, contenders: contenders.map(({ name }, index) => summary(name, done[index] ?? [], done[0] ?? [])) };
}

function rotated(length: number, by: number): number[] {
  return Array.from({ length }, (_, place) => (place + by) % length);
}

async function measureRound(contender: Contender): Promise<Round> {
  const { sizes } = contender;
  const alone: number[] = [];
  const backToBack: number[] = [];
  await contender.rest();
  for (let call = 0; call < sizes.alone; call++) {
    await pause(gapMs);
    await contender.ready();
    alone.push(await timeOf(contender));
  }
  await contender.rest();
  for (let call = 0; call < sizes.backToBack; call++) backToBack.push(await timeOf(contender));
  await contender.rest();
  const perSecond = await rateAtOnce(contender, sizes.atOnce);
  await contender.rest();
  return { alone, backToBack, perSecond };
}

async function timeOf(contender: Contender): Promise<number> {
  const startedAt = performance.now();
  await contender.call(0);
  return performance.now() - startedAt;
}

/** Counted from when the first calls are answered, which found processes that stood ready. */
async function rateAtOnce(contender: Contender, calls: number): Promise<number> {
  let answered = 0;
  let countedFrom = 0;
  await callAtOnce(contender, slots + calls, () => {
    if (++answered === slots) countedFrom = performance.now();
  });
  return (calls / (performance.now() - countedFrom)) * 1000;
}

async function callAtOnce(contender: Contender, calls: number, onAnswer = () => {}): Promise<void> {
  let next = 0;
  const runSlot = async (slot: number) => {
    while (next++ < calls) {
      await contender.call(slot);
      onAnswer();
    }
  };
  await Promise.all(Array.from({ length: slots }, (_, slot) => runSlot(slot)));
}

function summary(name: string, rounds: readonly Round[], first: readonly Round[]): Measured {
  const ratio = (of: (round: Round, other: Round) => number) =>
    median(rounds.flatMap((round, index) => (first[index] ? [of(round, first[index])] : [])));
  return {
    name,
    alone: latency(rounds.map(({ alone }) => alone)),
    backToBack: latency(rounds.map(({ backToBack }) => backToBack)),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    aloneRatio: ratio((round, fresh) => median(fresh.alone) / median(round.alone)),
    perSecondRatio: ratio((round, fresh) => round.perSecond / fresh.perSecond),
  };
}

/** The median of the rounds' medians; the tails over all calls, because a round is too short for them. */
function latency(rounds: readonly (readonly number[])[]): Latency {
  const all = rounds.flat();
  return { p50: median(rounds.map(median)), p95: percentile(all, 0.95), p99: percentile(all, 0.99) };
}
