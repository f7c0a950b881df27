export interface RateLimiter {
  /** Takes one of the client's requests: undefined, or the milliseconds after which there is another. */
  take(client: string, perWindow: number): number | undefined;
}

export interface RateLimiterOptions {
  /** Time over which requests are averaged. */
  readonly windowMs: number;
  /** Clients beyond this are remembered for a shorter time. */
  readonly maxClients?: number;
  readonly now?: () => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const usualMaxClients = 20_000;
/** What is added up in fractions may lack the last of them. */
const almostOne = 1 - 1e-9;

/**
 * A bucket of tokens for each client, full at first and after a window without requests. Those that were not looked at
 * for a window are full, and are dropped without any timer: there is an old generation and a young one.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { windowMs, maxClients = usualMaxClients, now = () => performance.now() } = options;
  let young = new Map<string, Bucket>();
  let old = new Map<string, Bucket>();
  let turnedAt = now();

  return {
    take(client, perWindow) {
      const time = now();
      if (time - turnedAt >= windowMs || young.size >= maxClients) turn(time);
      const bucket = find(client) ?? remember(client, { tokens: perWindow, at: time });
      bucket.tokens = Math.min(perWindow, bucket.tokens + ((time - bucket.at) / windowMs) * perWindow);
      bucket.at = time;
      if (bucket.tokens < almostOne) return Math.max(1, Math.ceil(((1 - bucket.tokens) / perWindow) * windowMs));
      bucket.tokens = Math.max(0, bucket.tokens - 1);
      return undefined;
    },
  };

  function find(client: string): Bucket | undefined {
    const bucket = young.get(client);
    if (bucket !== undefined) return bucket;
    const older = old.get(client);
    return older && remember(client, older);
  }

  function remember(client: string, bucket: Bucket): Bucket {
    young.set(client, bucket);
    return bucket;
  }

  function turn(time: number): void {
    old = time - turnedAt >= 2 * windowMs ? new Map() : young;
    young = new Map();
    turnedAt = time;
  }
}
