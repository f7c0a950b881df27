import type { TreeUsage } from '../../testedserver.js';

export interface Sample {
  /** From the start of the sampler. */
  readonly atMs: number;
  readonly memoryBytes: number;
  readonly cpuMs: number;
}

/** Looks at something from time to time, until it is stopped. */
export interface Sampler {
  /** A moment, for `peakSince`. */
  mark(): number;
  /** The most memory since then, with one more look at it now; undefined where it cannot be seen. */
  peakSince(mark: number): Promise<number | undefined>;
  /** In their order; of many, those with the most memory stand for their neighbours. */
  readonly samples: readonly Sample[];
  /** Resolves when nothing is looked at any more. */
  stop(): Promise<void>;
}

const mostSamples = 600;

export function startSampler(
  usageOf: () => Promise<TreeUsage | undefined>,
  { everyMs, now = () => performance.now() }: { readonly everyMs: number; readonly now?: () => number },
): Sampler {
  const startedAt = now();
  let samples: Sample[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let looking = Promise.resolve();
  void lookAgain();

  return {
    mark: () => now() - startedAt,
    async peakSince(mark) {
      if (!isStopped) await look();
      const sizes = samples.filter(({ atMs }) => atMs >= mark).map(({ memoryBytes }) => memoryBytes);
      return sizes.length === 0 ? undefined : Math.max(...sizes);
    },
    get samples() {
      return samples;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };

  async function lookAgain(): Promise<void> {
    await look();
    if (isStopped) return;
    timer = setTimeout(lookAgain, everyMs);
    timer.unref();
  }

  /** One after the other, so that they stand in their order. */
  function look(): Promise<void> {
    looking = looking.then(takeSample);
    return looking;
  }

  async function takeSample(): Promise<void> {
    const usage = await usageOf().catch(() => undefined);
    if (!usage) return;
    const { memoryBytes, cpuMs } = usage;
    samples.push({ atMs: now() - startedAt, memoryBytes, cpuMs });
    if (samples.length > mostSamples) samples = halved(samples);
  }
}

/** Of each two neighbours the one with more memory, so that no peak is lost. */
function halved(samples: readonly Sample[]): Sample[] {
  return samples.flatMap((sample, index) => {
    const next = samples[index + 1];
    if (index % 2 === 1) return [];
    return next && next.memoryBytes > sample.memoryBytes ? next : sample;
  });
}
