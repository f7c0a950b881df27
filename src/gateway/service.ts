import type { CallOptions, JsonObject, Tool, Toolbox, ToolResult } from '../toolbox.js';
import type { Principal } from './access/principal.js';

/** Where the tools of a service come from. */
export type ServiceSource =
  | {
      readonly kind: 'script';
      /** Scripts, folders or manifests, by absolute paths. */
      readonly targets: readonly string[];
      readonly only?: readonly string[];
      readonly exclude?: readonly string[];
    }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
      /** A process of it may serve the calls of several clients; otherwise each client session has its own. */
      readonly stateless?: boolean;
      readonly minProcesses?: number;
      readonly maxProcesses?: number;
    }
  | { readonly kind: 'url'; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface ServiceDefinition {
  /** Letters, digits, `.`, `_` and `-`, at most 64, beginning with a letter or digit. */
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly source: ServiceSource;
  /** Settings of the engine that differ for this service. Uploaded services are always strict. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The principal that uploaded it; services of the command line and the config file belong to nobody. */
  readonly owner?: string;
}

export const serviceIdForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What the processes behind a service are at. */
export interface ProcessStatus {
  readonly idle: number;
  readonly busy: number;
  readonly starts: number;
  /** Processes that ended without having been asked to. */
  readonly crashes: number;
}

/** A toolbox whose processes can be looked after. What a service is opened as, whatever its source. */
export interface ServiceToolbox extends Toolbox {
  /** Makes ready what the first call needs. */
  warm(): Promise<void>;
  /** A real call through a real process; rejects with the reason why none can pass. */
  probe(): Promise<void>;
  /** Ends every process, calls under way included; the next call starts new ones. */
  restart(): Promise<void>;
  /** Replaces the processes; calls under way finish on the old ones. */
  recycle(): Promise<void>;
  /** Ends what was kept for a client session. */
  endSession(session: string): Promise<void>;
  status(): ProcessStatus;
  /** Tells when the list of tools has changed by itself. Gives back what ends the telling. */
  onToolsChanged(listener: () => void): () => void;
}

export interface OpenedService {
  readonly toolbox: ServiceToolbox;
  /** Another one whenever the same call may give something else: part of the key of kept results. */
  readonly version: string;
  readonly description?: string;
  /** What a session has done may change what its next call gives. */
  readonly keepsState: boolean;
  /** How long its calls may take, where that is another time than the gateway's. */
  readonly timeoutMs?: number;
  /** What was found and is not served, in sentences. */
  readonly notes: readonly string[];
}

/** Handed in by whoever knows the engine and the client. */
export type OpenService = (definition: ServiceDefinition, signal?: AbortSignal) => Promise<OpenedService>;

export type ServiceState = 'starting' | 'ready' | 'failing' | 'draining';
export type BreakerState = 'closed' | 'open' | 'half-open';

export const transports = ['mcp', 'mcp-session', 'json-rpc', 'stream', 'legacy-sse', 'rest', 'probe'] as const;
export type TransportName = (typeof transports)[number];

export interface GatewayCallOptions extends CallOptions {
  /** The id of the request; one is made where it is not given. */
  readonly id?: string;
  readonly principal: Principal;
  readonly transport: TransportName;
  readonly idempotencyKey?: string;
  /** The W3C trace context that the request came with. */
  readonly traceparent?: string;
  /** Told once, with the value of the header Cache-Status. */
  readonly onCacheStatus?: (status: string) => void;
}

/** What the ways into a service call it by: the toolbox with queue, cache, breaker and records around it. */
export interface ServedToolbox {
  listTools(): Promise<readonly Tool[]>;
  call(name: string, args: JsonObject, options: GatewayCallOptions): Promise<ToolResult>;
}

export interface Service {
  readonly id: string;
  readonly definition: ServiceDefinition;
  readonly version: string;
  readonly description?: string;
  readonly notes: readonly string[];
  readonly state: ServiceState;
  /** Why it is not ready. */
  readonly reason?: string;
  readonly breaker: BreakerState;
  readonly processes: ProcessStatus;
  /** When the last check passed, and how long it took. */
  readonly probedAt?: number;
  readonly probeMs?: number;
  readonly toolbox: ServedToolbox;
  endSession(session: string): Promise<void>;
}

export interface Services {
  list(): readonly Service[];
  /** Throws UNKNOWN_SERVICE, with the nearest name. */
  get(id: string): Service;
  has(id: string): boolean;
  /** Opens a service under a new id; throws CONFLICT where the id is taken. */
  add(definition: ServiceDefinition): Promise<Service>;
  /**
   * From when this resolves, calls go to the new version; calls under way finish on the old one, which is then closed.
   * `onRetired` is told when it is, so that its files may go.
   */
  replace(definition: ServiceDefinition, onRetired?: () => void): Promise<Service>;
  /** Takes no new calls, lets those under way finish for `drainMs`, and is gone. */
  remove(id: string): Promise<void>;
  restart(id: string): Promise<void>;
  recycle(id: string): Promise<void>;
  /** Takes no new calls until `resume`; resolves when none is under way any more, or after `drainMs`. */
  drain(id: string): Promise<void>;
  resume(id: string): void;
  /** Checks it now, by a real call. */
  check(id: string): Promise<Service>;
  /** Told when services come, go or have other tools. */
  onChange(listener: (id: string) => void): () => void;
}
