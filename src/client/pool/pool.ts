import { ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Connection } from '../connection.js';
import { closedReason, restartedReason, serverFailed } from '../failures.js';
import type { EndOptions, Reason } from '../link.js';
import { createBackoff } from './backoff.js';
import { createWaitingLine, type Seeker } from './line.js';
import { createMember, type Member, type OwnSeat, type Seat } from './member.js';
import { createRoster } from './roster.js';

export interface PoolOptions {
  open(signal: AbortSignal): Promise<Connection>;
  /** Connections that are kept ready: of all, or, where sessions own them, such that nobody owns yet. */
  readonly min: number;
  readonly max: number;
  /** Whether one connection serves anybody; otherwise each session has its own. */
  readonly isShared: boolean;
  readonly callsPerProcess: number;
  readonly queueLength: number;
  readonly recycleAfterCalls: number;
  readonly idleMs: number;
  readonly sessionIdleMs: number;
  /** Time in which a connection has to show that it still answers, after a call on it was given up. */
  readonly answerMs: number;
  readonly log: Log;
}

export interface PoolStatus {
  readonly idle: number;
  readonly busy: number;
  readonly starts: number;
  readonly crashes: number;
}

/** Connections to one server, as many as are needed. */
export interface Pool {
  use<T>(seeker: Seeker, work: Work<T>): Promise<T>;
  /** The same on any of them; an idle one that fails at it is ended. */
  check<T>(work: Work<T>): Promise<T>;
  /** Calls that begin from now on go to new connections; calls under way finish on the old ones. */
  recycle(): void;
  /** Ends all of them, with the calls under way. */
  restart(): Promise<void>;
  endSession(key: string): Promise<void>;
  status(): PoolStatus;
  close(): Promise<void>;
}

type Work<T> = (connection: Connection) => Promise<T>;

/** A connection that is being made. */
interface Start {
  readonly owner: OwnSeat | undefined;
  /** Resolves when it was made or was not. */
  readonly over: Promise<void>;
  giveUp(): void;
}

const replacedReason: Reason = () => serverFailed('The MCP server was ended before it answered');
/** A process that may be working for a client that is gone is not waited for long. */
const soon: EndOptions = { graceMs: 250 };
const atOnce: EndOptions = { graceMs: 0 };

export function createPool(options: PoolOptions): Pool {
  const { min, max, isShared, log } = options;
  const roster = createRoster();
  const starting = new Set<Start>();
  const line = createWaitingLine(options.queueLength);
  const backoff = createBackoff();
  let refillTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let starts = 0;
  let crashes = 0;
  let lastProblem = 'The MCP server ended before it had answered a call';
  refill();

  return {
    async use(seeker, work) {
      return workOn(await seat(seeker), seeker.seat, work);
    },
    async check(work) {
      const member = await seat({ seat: { kind: 'any' } });
      const wasIdle = member.calls === 1;
      try {
        return await workOn(member, { kind: 'any' }, work);
      } catch (error) {
        if (wasIdle) await dismiss(member, 'The MCP server failed a check, and was ended');
        throw error;
      }
    },
    recycle() {
      for (const member of roster.members()) retire(member);
      dispatch();
    },
    async restart() {
      backoff.succeeded();
      await endAll(restartedReason);
      dispatch();
    },
    async endSession(key) {
      const own = roster.members().filter(({ owner }) => owner?.key === key);
      const coming = [...starting].filter(({ owner }) => owner?.key === key);
      await Promise.all([...own.map(sendAway), ...coming.map(giveUpStart)]);
    },
    status() {
      const all = roster.everybody();
      const busy = all.filter(({ calls }) => calls > 0).length;
      return { idle: all.length - busy, busy, starts, crashes };
    },
    async close() {
      isClosed = true;
      clearTimeout(refillTimer);
      line.refuse(closedReason);
      await endAll(closedReason);
    },
  };

  async function seat(seeker: Seeker): Promise<Member> {
    if (isClosed) throw closedReason();
    return find(seeker.seat) ?? line.join(seeker);
  }

  async function workOn<T>(member: Member, { kind }: Seat, work: Work<T>): Promise<T> {
    try {
      const result = await work(member.connection);
      if (kind !== 'any') answered(member);
      return result;
    } catch (error) {
      if (kind !== 'any' && error instanceof ExecutionError && error.fault === 'caller') answered(member);
      throw error;
    } finally {
      member.calls -= 1;
      letGo(member);
    }
  }

  function answered(member: Member): void {
    member.answered += 1;
    backoff.succeeded();
  }

  function letGo(member: Member): void {
    roster.sweep();
    const { connection, owner } = member;
    const hasAbandoned = connection.abandoned > 0;
    if (roster.isLeaving(member)) {
      if (member.calls === 0) connection.end(replacedReason, hasAbandoned ? soon : undefined);
    } else if (roster.has(member)) {
      member.forgiven = Math.min(member.forgiven, connection.abandoned);
      if (connection.abandoned > member.forgiven && !member.isSuspect) examine(member);
      if (!owner?.isNamed && member.answered >= options.recycleAfterCalls) retire(member);
      else if (member.calls === 0) startIdling(member);
    }
    dispatch();
  }

  /** After a call was given up: what does not even answer is killed, what may still work for nobody is replaced. */
  async function examine(member: Member): Promise<void> {
    member.isSuspect = true;
    const { connection } = member;
    const { abandoned } = connection;
    try {
      await connection.ping(options.answerMs);
    } catch {
      log.warn('an MCP server does not answer after a call on it was given up, and is ended');
      return dismiss(member, 'The MCP server did not answer any more, and was ended');
    }
    member.isSuspect = false;
    member.forgiven = abandoned;
    if (connection.abandoned > 0 && !member.owner?.isNamed && roster.has(member)) retire(member, soon);
    dispatch();
  }

  /** A member with room for one more call, which is counted from now on. Starts what is missing. */
  function find(seat: Seat): Member | undefined {
    roster.sweep();
    const member = seat.kind === 'own' ? chooseOwn(seat) : chooseShared(seat.kind === 'any');
    if (!member) return undefined;
    clearTimeout(member.idleTimer);
    member.calls += 1;
    if (seat.kind === 'own') roster.used(member);
    return member;
  }

  function chooseShared(isCheck: boolean): Member | undefined {
    const chosen = roster.leastLoaded(isCheck ? Number.POSITIVE_INFINITY : options.callsPerProcess);
    const isEnough = chosen !== undefined && (chosen.calls === 0 || isCheck);
    const mostStarting = Math.max(1, Math.ceil(line.size / options.callsPerProcess));
    if (!isEnough && starting.size < mostStarting) startUnlessFull(undefined, roster.members().length === 0);
    return chosen;
  }

  function chooseOwn(seat: OwnSeat): Member | undefined {
    const own = roster.members().find(({ owner }) => owner?.key === seat.key);
    if (own) return !own.isSuspect && own.calls < options.callsPerProcess ? own : undefined;
    const spare = roster.members().find(({ owner, isSuspect }) => owner === undefined && !isSuspect);
    if (spare) {
      spare.owner = seat;
      refill();
      return spare;
    }
    const isComing = [...starting].some(({ owner }) => owner?.key === seat.key);
    if (!isComing && !startUnlessFull(seat, true)) sendAwayIdle();
    return undefined;
  }

  /** Whether there was room; where it is needed and starts have led to nothing, the caller hears of it. */
  function startUnlessFull(owner: OwnSeat | undefined, isNeeded: boolean): boolean {
    const isFull = roster.placesTaken + starting.size >= max || roster.everybody().length + starting.size >= 2 * max;
    if (isFull) return false;
    const retryAfterMs = backoff.remainingMs();
    if (retryAfterMs === 0) start(owner);
    else if (isNeeded && starting.size === 0) throw failsRepeatedly(lastProblem, retryAfterMs);
    return true;
  }

  function start(owner: OwnSeat | undefined): void {
    starts += 1;
    const controller = new AbortController();
    const { signal } = controller;
    const over = options.open(signal).then(
      (connection) => {
        starting.delete(begun);
        if (!signal.aborted) return admit(createMember(connection, owner));
        dispatch();
        return connection.end(closedReason, atOnce);
      },
      (error: unknown) => {
        starting.delete(begun);
        if (signal.aborted) dispatch();
        else startFailed(owner, error);
      },
    );
    const begun: Start = { owner, over, giveUp: () => controller.abort() };
    starting.add(begun);
  }

  function startFailed(owner: OwnSeat | undefined, error: unknown): void {
    crashes += 1;
    // Once the person has logged in, nobody should have to wait.
    if (!(error instanceof ExecutionError && error.code === 'LOGIN_REQUIRED')) backoff.failed();
    const refused = () => (error instanceof Error ? error : serverFailed('The MCP server could not be started'));
    lastProblem = refused().message;
    log.warn('an MCP server could not be started', { message: lastProblem });
    if (owner) line.refuse(refused, (seat) => seat.kind === 'own' && seat.key === owner.key);
    else if (roster.members().length + starting.size === 0) line.refuse(refused, (seat) => seat.kind !== 'own');
    dispatch();
  }

  function admit(member: Member): void {
    roster.add(member);
    member.connection.ended.then(({ wasAsked }) => {
      roster.remove(member);
      if (!wasAsked) {
        crashes += 1;
        if (member.answered === 0) backoff.failed();
      }
      dispatch();
    });
    startIdling(member);
    dispatch();
  }

  function startIdling(member: Member): void {
    clearTimeout(member.idleTimer);
    const idleMs = member.owner ? options.sessionIdleMs : options.idleMs;
    member.idleTimer = setTimeout(() => {
      if (member.calls > 0 || !roster.has(member)) return;
      if (member.owner || readyOnes() > min) retire(member);
      else startIdling(member);
    }, idleMs).unref();
  }

  /** Those that `min` counts. */
  function readyOnes(): number {
    const owners = [...roster.members(), ...starting].map(({ owner }) => owner);
    return isShared ? owners.length : owners.filter((owner) => owner === undefined).length;
  }

  /** Takes no new calls, and goes when it has answered the old ones. */
  function retire(member: Member, how?: EndOptions): void {
    roster.leave(member, false);
    if (member.calls === 0) member.connection.end(replacedReason, how);
  }

  function dismiss(member: Member, message: string): Promise<void> {
    if (!member.connection.isOver) roster.leave(member, false);
    return member.connection.end(() => serverFailed(message), atOnce);
  }

  function sendAway(member: Member): Promise<void> {
    roster.leave(member, true);
    return member.connection.end(replacedReason);
  }

  /** Room for another session: the one that was not used for longest goes. */
  function sendAwayIdle(): void {
    if (roster.leavesRoom) return;
    const idle = roster.members().find(({ calls }) => calls === 0);
    if (idle) sendAway(idle);
  }

  async function endAll(reason: Reason): Promise<void> {
    for (const member of roster.members()) roster.leave(member, true);
    await Promise.all([
      ...roster.everybody().map(({ connection }) => connection.end(reason)),
      ...[...starting].map(giveUpStart),
    ]);
  }

  function dispatch(): void {
    if (isClosed) return;
    line.serve(find);
    refill();
  }

  function refill(): void {
    if (isClosed) return;
    clearTimeout(refillTimer);
    while (readyOnes() < min && roster.placesTaken + starting.size < max) {
      const waitMs = backoff.remainingMs();
      if (waitMs > 0) {
        refillTimer = setTimeout(refill, waitMs).unref();
        return;
      }
      start(undefined);
    }
  }
}

function giveUpStart({ giveUp, over }: Start): Promise<void> {
  giveUp();
  return over;
}

function failsRepeatedly(problem: string, retryAfterMs: number): Error {
  const message = `${problem}. It failed several times in a row, and is started again in a moment`;
  return serverFailed(message, { retryAfterMs });
}
