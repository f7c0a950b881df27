const cache = 'mcp-execution';

/** Values of the header Cache-Status (RFC 9211). */
export const status = {
  hit: (leftMs: number) => `${cache}; hit; ttl=${seconds(leftMs)}`,
  stored: (ttlMs: number) => `${cache}; fwd=miss; stored; ttl=${seconds(ttlMs)}`,
  miss: `${cache}; fwd=miss`,
  joined: `${cache}; fwd=miss; collapsed`,
  bypass: `${cache}; fwd=bypass`,
  /** By an Idempotency-Key. */
  repeated: `${cache}; hit; detail=idempotency-key`,
  joinedRepetition: `${cache}; fwd=miss; collapsed; detail=idempotency-key`,
} as const;

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
