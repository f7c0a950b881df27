import type { Toolbox } from '../toolbox.js';
import type { ToolList } from './listing.js';

/** What the processes, or connections, behind a toolbox are at. */
export interface ConnectionStatus {
  readonly idle: number;
  readonly busy: number;
  readonly starts: number;
  /** Such that ended without having been asked to. */
  readonly crashes: number;
}

/** An MCP server as a toolbox. Its processes come with the first call that needs one. */
export interface ServerToolbox extends Toolbox {
  /** Makes ready what the first call needs. */
  warm(): Promise<void>;
  /** Asks a process whether it lives and what tools it has; rejects with the reason why no call can pass. */
  probe(): Promise<void>;
  /** Its tools by its own word, whatever is known already. Nobody else is told where they are others. */
  askTools(): Promise<ToolList>;
  /** Ends every process, calls under way included; the next call starts new ones. */
  restart(): Promise<void>;
  /** Replaces the processes; calls under way finish on the old ones. */
  recycle(): Promise<void>;
  /** Ends what was kept for a session. */
  endSession(session: string): Promise<void>;
  status(): ConnectionStatus;
  /** Tells when the list of tools has changed. Gives back what ends the telling. */
  onToolsChanged(listener: () => void): () => void;
  /** What the server says of itself, once one was reached. */
  describe(): ServerDescription | undefined;
}

export interface ServerDescription {
  readonly name?: string;
  readonly title?: string;
  readonly version?: string;
  readonly instructions?: string;
}
