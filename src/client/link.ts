import type { ClientOptions, RequestId, Transport } from '@modelcontextprotocol/client';
import type { ErrorDetails, ExecutionError } from '../errors.js';

/** Makes a new error each time: several calls may fail for one reason. */
export type Reason = () => ExecutionError;

/** The way to one server: a process, or an address. What is said on it is the connection's. */
export interface Link {
  readonly transport: Transport;
  readonly negotiation?: ClientOptions['versionNegotiation'];
  /** Where it is a process of this machine. */
  readonly process?: LinkedProcess;
  /** Why nothing more comes of it, once that is so. */
  readonly failure: Reason | undefined;
  /** Whether nothing more comes of it, even where it is not known yet why. */
  readonly isOver: boolean;
  /** When all of it is gone, and whether that was asked for. */
  readonly ended: Promise<{ readonly wasAsked: boolean }>;
  /** Requests that were given up while the server may still be working on them. */
  readonly abandoned: number;
  /** Lets nothing more come in until the promise settles, where that harms nobody else. */
  hold?(until: Promise<unknown>): void;
  /** The request of this token is given up; nobody reads its answer. */
  giveUp?(token: string): void;
  /** Told of every answer that came. */
  answered?(id: RequestId): void;
  /** Told of what the SDK reports and nobody waits for. */
  onError?(error: Error): void;
  /** Set by the connection, which hears of requests whose answers can never come. */
  onLost?: (token: string, why: string) => void;
  /** Whether a request was refused with this status because the server forgot the session. */
  isSessionLost?(status: number | undefined): boolean;
  /** What an error means on this way, where that is known better here. */
  explain?(error: unknown): ExecutionError | undefined;
  /** What it wrote beside messages, at last: for the error about an end, where whoever reads that may see it. */
  lastWords?(): Pick<ErrorDetails, 'stderr'>;
  /** Calls under way fail for the reason at once; resolves when all is gone. */
  end(reason: Reason, how?: EndOptions): Promise<void>;
}

export interface LinkedProcess {
  /** The process of the server itself, once it is known. */
  readonly pid: number | undefined;
  /** When that is so: word of it may come after the server's own first word. */
  readonly known?: Promise<unknown>;
  /** The parent of ours that what loses its own goes to, where there is one: all below it is the server's. */
  readonly reaper?: number;
}

export interface EndOptions {
  /** Time to end by itself, less than usual. None: it is killed. */
  readonly graceMs?: number;
}
