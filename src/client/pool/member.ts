import type { Connection } from '../connection.js';

/** Whom a connection may serve. */
export type Seat =
  /** Calls of anybody, together with others. */
  | { readonly kind: 'shared' }
  /** Calls of one session alone. One that nobody named ends sooner: nobody counts on what it remembers. */
  | { readonly kind: 'own'; readonly key: string; readonly isNamed: boolean }
  /** No call of a tool: a look at the list, a check. */
  | { readonly kind: 'any' };

export type OwnSeat = Extract<Seat, { readonly kind: 'own' }>;

/** A connection in the pool, and what it is at. */
export interface Member {
  readonly connection: Connection;
  owner: OwnSeat | undefined;
  calls: number;
  answered: number;
  /** Whether it has yet to show that it still answers, after a call on it was given up. */
  isSuspect: boolean;
  /** How many calls had been given up on it when it showed that the last time. */
  forgiven: number;
  idleTimer: NodeJS.Timeout | undefined;
}

export function createMember(connection: Connection, owner: OwnSeat | undefined): Member {
  return { connection, owner, calls: 0, answered: 0, isSuspect: false, forgiven: 0, idleTimer: undefined };
}

export function leastLoaded(members: Iterable<Member>): Member | undefined {
  let found: Member | undefined;
  for (const member of members) if (!found || member.calls < found.calls) found = member;
  return found;
}
