import { HostError } from '../../errors.js';
import { cancelledBeforeStart, onAbort } from '../../queue/abort.js';
import type { Member, Seat } from './member.js';

export interface Seeker {
  readonly seat: Seat;
  readonly signal?: AbortSignal;
  /** Told when the call has to wait, and when it has moved: 1 is next. */
  readonly onPosition?: (position: number) => void;
}

/** Calls that wait for a connection, in the order they came. */
export interface WaitingLine {
  readonly size: number;
  join(seeker: Seeker): Promise<Member>;
  /** Gives each the member that is found for it, and takes out those for whom finding throws. */
  serve(find: (seat: Seat) => Member | undefined): void;
  refuse(error: () => Error, which?: (seat: Seat) => boolean): void;
}

interface Waiting extends Seeker {
  told: number;
  resolve(member: Member): void;
  reject(error: unknown): void;
}

export function createWaitingLine(queueLength: number): WaitingLine {
  const line = new Set<Waiting>();
  return {
    get size() {
      return line.size;
    },
    join(seeker) {
      if (seeker.signal?.aborted) return Promise.reject(cancelledBeforeStart(seeker.signal));
      if (line.size >= queueLength) return Promise.reject(fullError(queueLength));
      return new Promise((resolve, reject) => {
        const stopWatching = onAbort(seeker.signal, () => leave(() => reject(cancelledBeforeStart(seeker.signal))));
        const leave = (settle: () => void) => {
          if (!line.delete(waiting)) return;
          stopWatching();
          settle();
        };
        const waiting: Waiting = {
          ...seeker,
          told: 0,
          resolve: (member) => leave(() => resolve(member)),
          reject: (error) => leave(() => reject(error)),
        };
        line.add(waiting);
        tell(waiting, line.size);
      });
    },
    serve(find) {
      let position = 0;
      for (const waiting of [...line]) {
        try {
          const member = find(waiting.seat);
          if (member) waiting.resolve(member);
          else {
            position += 1;
            tell(waiting, position);
          }
        } catch (error) {
          waiting.reject(error);
        }
      }
    },
    refuse(error, which = () => true) {
      for (const waiting of [...line]) if (which(waiting.seat)) waiting.reject(error());
    },
  };
}

function tell(waiting: Waiting, position: number): void {
  if (waiting.told === position) return;
  waiting.told = position;
  waiting.onPosition?.(position);
}

function fullError(queueLength: number): HostError {
  return new HostError('QUEUE_FULL', `${queueLength} calls wait for the MCP server already; no more may wait`, {
    limit: queueLength,
  });
}
