import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startSampler } from '../../../src/harness/measure/sampler.js';
import type { TreeUsage } from '../../../src/testedserver.js';

function usage(memoryBytes: number): TreeUsage {
  return { memoryBytes, cpuMs: 1, processes: 1 };
}

/** Looks only when it is asked to, and reads the sizes one after the other. */
async function sampled(sizes: readonly (number | undefined)[]) {
  let looks = 0;
  const sampler = startSampler(
    async () => {
      const size = sizes[looks];
      looks += 1;
      return size === undefined ? undefined : usage(size);
    },
    { everyMs: 2 ** 30, now: () => looks },
  );
  while (looks < sizes.length) await sampler.peakSince(0);
  await sampler.stop();
  return sampler;
}

test('a sampler knows the peak since a mark, and looks once more when it is asked', async () => {
  let size = 100;
  const sampler = startSampler(async () => usage(size), { everyMs: 2 ** 30 });
  expect(await sampler.peakSince(0)).toBe(100);
  size = 50;
  expect(await sampler.peakSince(sampler.mark())).toBe(50);
  expect(await sampler.peakSince(0)).toBe(100);
  await sampler.stop();
});

test('a sampler goes on by itself until it is stopped', async () => {
  let looks = 0;
  let enough: () => void = () => {};
  const looked = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const sampler = startSampler(
    async () => {
      looks += 1;
      if (looks === 5) enough();
      return usage(looks);
    },
    { everyMs: 1 },
  );
  await looked;
  await sampler.stop();
  const { length } = sampler.samples;
  expect(length).toBeGreaterThanOrEqual(5);
  expect(await sampler.peakSince(0)).toBe(length);
});

test('what cannot be seen has no samples and no peak', async () => {
  const sampler = startSampler(() => Promise.reject(new Error('gone')), { everyMs: 2 ** 30 });
  expect(await sampler.peakSince(0)).toBeUndefined();
  expect(sampler.samples).toEqual([]);
  await sampler.stop();
});

test('samples are bounded, in their order, and no peak is lost however many there were', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.nat(), { nil: undefined }), { minLength: 1, maxLength: 1500 }),
      async (sizes) => {
        const { samples } = await sampled(sizes);
        const seen = sizes.filter((size) => size !== undefined);
        expect(samples.length).toBeLessThanOrEqual(600);
        expect(Math.max(-1, ...samples.map(({ memoryBytes }) => memoryBytes))).toBe(Math.max(-1, ...seen));
        expect(samples.every(({ atMs }, index) => atMs > (samples[index - 1]?.atMs ?? -1))).toBe(true);
      },
    ),
    { numRuns: 30 },
  );
});
