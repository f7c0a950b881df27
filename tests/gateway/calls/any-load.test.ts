import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExecutionError, HostError } from '../../../src/errors.js';
import type { ToolResult } from '../../../src/toolbox.js';
import { text } from '../../server/fake-toolbox.js';
import { createScene, failure, hops, principal } from './scene.js';

const readOnly = { readOnlyHint: true, idempotentHint: true };

const endings = {
  fine: () => text('fine'),
  exception: () => failure('EXCEPTION'),
  crash: () => failure('PROCESS_FAILED'),
  host: () => {
    throw new HostError('WIRE_BROKEN', 'broken');
  },
  bug: (): ToolResult => {
    throw new Error('a bug');
  },
} as const;

const arrival = fc.record({
  client: fc.constantFrom('ann', 'bob', 'cleo'),
  service: fc.constantFrom('script', 'server'),
  tool: fc.constantFrom('look', 'write', 'none'),
  ending: fc.constantFrom(...(Object.keys(endings) as (keyof typeof endings)[])),
  hops: fc.nat(12),
  obeys: fc.boolean(),
  after: fc.nat(8),
  goneAfter: fc.option(fc.nat(25), { freq: 3 }),
  cancelAfter: fc.option(fc.nat(25), { freq: 5 }),
  idempotencyKey: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
  priority: fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined }),
});

const load = fc.record({
  arrivals: fc.array(arrival, { maxLength: 40 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  queueLength: fc.nat(10),
  closeServiceAfter: fc.option(fc.nat(150), { freq: 4 }),
  closeAllAfter: fc.option(fc.nat(150), { freq: 4 }),
});

describe('any load', () => {
  it('answers every call exactly once, leaves none under way, and runs no more at once than it may', async () => {
    await fc.assert(
      fc.asyncProperty(load, async ({ arrivals, concurrency, queueLength, closeServiceAfter, closeAllAfter }) => {
        const scene = createScene({
          concurrency: () => concurrency,
          queueLength: () => queueLength,
          settings: { maxRunningPerClient: 12, breakerFailures: 3, breakerResetMs: 1 },
        });
        const { pipeline, figures } = scene;
        let atOnce = 0;
        let most = 0;
        const work = async (args: object, { signal }: { signal?: AbortSignal }) => {
          const { ending, hops: count, obeys } = Object(args) as (typeof arrivals)[number];
          atOnce += 1;
          most = Math.max(most, atOnce);
          try {
            for (let n = 0; n < count; n += 1) {
              await null;
              if (obeys && signal?.aborted) throw new Error('aborted');
            }
            return endings[ending]();
          } finally {
            atOnce -= 1;
          }
        };
        const tools = { look: { annotations: readOnly, work }, write: work };
        const script = scene.serve(tools, { id: 'script' });
        const server = scene.serve(tools, { id: 'server', usesSlots: false, concurrency: () => concurrency });
        const services = { script, server };
        if (closeServiceAfter !== null) void hops(closeServiceAfter).then(() => script.served.close());
        if (closeAllAfter !== null) void hops(closeAllAfter).then(() => pipeline.closeAll());

        const settled: number[] = [];
        const answers: Promise<void>[] = [];
        for (const [index, asked] of arrivals.entries()) {
          await hops(asked.after);
          const { ending, obeys, hops: count, client, tool, service, goneAfter, cancelAfter, ...options } = asked;
          const gone = new AbortController();
          if (goneAfter !== null) void hops(goneAfter).then(() => gone.abort());
          if (cancelAfter !== null) void hops(cancelAfter).then(() => pipeline.calls.cancel(`r${index}`));
          const answer = services[service].call(tool, {
            id: `r${index}`,
            principal: principal(client),
            signal: gone.signal,
            args: { ending, hops: count, obeys },
            idempotencyKey: options.idempotencyKey,
            priority: options.priority,
          });
          const settle = () => void settled.push(index);
          answers.push(
            answer.then(settle, (error: unknown) => {
              settle();
              expect(error instanceof ExecutionError || String(error) === 'Error: a bug').toBe(true);
            }),
          );
        }
        await Promise.all(answers);
        await Promise.all([script.served.idle(), server.served.idle()]);

        expect(settled.sort((a, b) => a - b)).toEqual(arrivals.map((_, index) => index));
        expect(figures).toHaveLength(arrivals.length);
        expect(pipeline.calls.list()).toEqual([]);
        expect(pipeline.status()).toMatchObject({ running: 0, waiting: 0 });
        // Two queues, each with its slots and as many to spare.
        expect(most).toBeLessThanOrEqual(4 * concurrency);
        pipeline.closeAll();
        for (const { call } of [script, server]) {
          await expect(call('look')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
        }
      }),
      { numRuns: 150 },
    );
  });
});
