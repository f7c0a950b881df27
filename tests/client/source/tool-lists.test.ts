import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RememberedList } from '../../../src/client/servers/list-memory.js';
import { createToolLists, longestAgeMs, type ToolLists } from '../../../src/client/servers/tool-lists.js';

/** A server whose only tool is named after how often its tools changed, and the file of its list. */
class World {
  version = 0;
  ttlMs: number | undefined;
  time = 1;
  asksOfRun = 0;
  told = 0;
  lists: ToolLists;
  /** Between a question and its answer. */
  onAsk = (): void => {};
  /** Until when what was said may be believed, by version. */
  readonly believable = new Map<number, number>();
  /** What was given in this run, and how much had been told by then. */
  given: { readonly version: number; readonly told: number } | undefined;
  #file: RememberedList | undefined;

  constructor() {
    this.lists = this.#open();
  }

  async newRun(): Promise<void> {
    await this.lists.settled();
    this.given = undefined;
    this.asksOfRun = 0;
    this.lists = this.#open();
  }

  #open(): ToolLists {
    return createToolLists({
      ask: async () => {
        const { version, ttlMs } = this;
        this.asksOfRun += 1;
        const expiresAt = this.time + Math.min(ttlMs ?? longestAgeMs, longestAgeMs);
        this.believable.set(version, Math.max(expiresAt, this.believable.get(version) ?? 0));
        await Promise.resolve();
        this.onAsk();
        return { tools: [{ name: `v${version}`, inputSchema: {} }], ...(ttlMs !== undefined && { ttlMs }) };
      },
      recall: async () => (this.#file && this.#file.expiresAt > this.time ? this.#file : undefined),
      remember: async (list) => {
        this.#file = list;
      },
      forget: async () => {
        this.#file = undefined;
      },
      onChanged: () => {
        this.told += 1;
      },
      now: () => this.time,
    });
  }

  async list(fresh: boolean): Promise<void> {
    const version = await this.look(fresh);
    if (this.given && this.given.version !== version) expect(this.told).toBeGreaterThan(this.given.told);
    this.given = { version, told: this.told };
  }

  /** Where several look at once, what was found earlier may be handed over later. */
  async look(fresh: boolean): Promise<number> {
    const askedBefore = this.asksOfRun;
    const { tools, isRemembered } = await this.lists.list({ fresh });
    const version = Number(tools[0]?.name.slice(1));
    if (fresh) expect(version).toBe(this.version);
    if (isRemembered) expect(askedBefore).toBe(0);
    if (version !== this.version) expect(this.believable.get(version)).toBeGreaterThan(this.time);
    return version;
  }
}

type Step = (world: World) => Promise<void> | void;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.boolean().map(
    (fresh): Step =>
      (world) =>
        world.list(fresh),
  ),
  fc.constant<Step>(async (world) => {
    await Promise.all([world.look(false), world.look(true), world.look(false)]);
    await world.list(false);
  }),
  fc.constant<Step>((world) => {
    world.version += 1;
  }),
  fc.constant<Step>(async (world) => {
    world.version += 1;
    world.lists.changed();
    await world.list(false);
    expect(world.given?.version).toBe(world.version);
  }),
  fc.constant<Step>(async (world) => {
    world.lists.started();
    await world.lists.settled();
  }),
  fc.integer({ min: 1, max: 2 * longestAgeMs }).map(
    (ms): Step =>
      (world) => {
        world.time += ms;
      },
  ),
  fc.option(fc.integer({ min: 0, max: 2 * longestAgeMs }), { nil: undefined }).map(
    (ttlMs): Step =>
      (world) => {
        world.ttlMs = ttlMs;
      },
  ),
  fc.constant<Step>((world) => world.newRun()),
);

describe('the list of a server', () => {
  it('is never older than the server, or a day, allows; and whoever was given another is told', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = new World();
        for (const next of steps) await next(world);
        await world.lists.settled();
      }),
      { numRuns: 300 },
    );
  });

  it('is given up by one who asked without harm to another', async () => {
    const world = new World();
    const aborter = new AbortController();
    const [given, refused] = [
      world.lists.list(),
      world.lists.list({ signal: aborter.signal }).catch((error: unknown) => error),
    ];
    aborter.abort();
    expect(await refused).toMatchObject({ code: 'CANCELLED' });
    expect((await given).tools).toHaveLength(1);
    expect(world.asksOfRun).toBe(1);
  });

  it('that came while the server said that it changed is asked for again', async () => {
    const world = new World();
    world.onAsk = () => {
      if (world.asksOfRun > 1) return;
      world.version += 1;
      world.lists.changed();
    };
    expect((await world.lists.list()).tools[0]?.name).toBe('v1');
    expect((await world.lists.list()).tools[0]?.name).toBe('v1');
    expect(world.asksOfRun).toBe(2);
  });

  it('of a server that never stops changing is given, and not kept', async () => {
    const world = new World();
    world.onAsk = () => world.lists.changed();
    await world.lists.list();
    expect(world.asksOfRun).toBe(3);
    await world.lists.list();
    expect(world.asksOfRun).toBe(6);
    expect(world.told).toBe(0);
  });
});
