/** How many calls of a contender a round holds: few for what is slow, so that each round stays short. */
export interface Sizes {
  readonly alone: number;
  readonly backToBack: number;
  readonly atOnce: number;
}

/** One way to run a call. */
export interface Contender {
  readonly name: string;
  readonly sizes: Sizes;
  /** Makes one call and checks its answer. Calls at once have different slots. */
  call(slot: number): Promise<void>;
  /** Resolves when the processes kept ready are complete again. */
  ready(): Promise<void>;
  /** Resolves when nothing is going on in the background. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

export const sizes = {
  fresh: { alone: 8, backToBack: 6, atOnce: 24 },
  heavyFresh: { alone: 4, backToBack: 3, atOnce: 16 },
  forked: { alone: 40, backToBack: 40, atOnce: 240 },
  kept: { alone: 40, backToBack: 40, atOnce: 400 },
  floor: { alone: 40, backToBack: 200, atOnce: 2000 },
} as const satisfies Record<string, Sizes>;

export function checkAnswer(answer: unknown, expected: unknown): void {
  if (answer !== expected) throw new Error(`Expected ${expected}, got ${JSON.stringify(answer)}`);
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
