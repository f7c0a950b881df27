/** call: see and call tools. upload: add, replace and remove own services. admin: everything of everybody. */
export const scopes = ['call', 'upload', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Whoever may do everything may do each thing. */
export function withImplied(given: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(given.includes('admin') ? scopes : given);
}

/** Who asks, once that was proven. */
export interface Principal {
  /** Never reused for somebody else: fair share, quotas, sessions, caches and ownership go by it. */
  readonly id: string;
  /** What logs and pages show. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Services that may be seen and called, with * for any characters; all where not given. */
  readonly services?: readonly string[];
  readonly quotas?: Quotas;
  /** When what proved it proves it no longer, in milliseconds since 1970; never where not given. */
  readonly expiresAt?: number;
}

/** What differs for this principal from the settings of the gateway. */
export interface Quotas {
  readonly maxServices?: number;
  readonly maxDiskBytes?: number;
  readonly maxRunning?: number;
  readonly requestsPerSecond?: number;
  readonly priority?: number;
}
