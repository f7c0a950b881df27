import type { CallOptions, JsonObject, Tool, ToolResult } from './toolbox.js';

/** The MCP servers of a config, by name. What the operations know of them. */
export interface ToolSource {
  /** Servers that are not disabled, in the order of the config. */
  readonly names: readonly string[];
  /** Throws UNKNOWN_SERVER with the nearest name, or what is wrong with the entry or with the server. */
  list(server: string, options?: ListOptions): Promise<ListedTools>;
  call(server: string, tool: string, args: JsonObject, options?: CallOptions): Promise<ToolResult>;
  /** Told when a server says, or is seen, to have other tools. Gives back what ends the telling. */
  onToolsChanged(listener: (server: string) => void): () => void;
  /** Ends every server that was started. */
  close(): Promise<void>;
}

export interface ListOptions {
  /** Ask the server itself, whatever is remembered of it. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
}

export interface ListedTools {
  readonly tools: readonly Tool[];
  /** What the server says of itself, as foreign text. */
  readonly title?: string;
  readonly instructions?: string;
  /** Remembered from an earlier run, so that the server was not started. */
  readonly isRemembered: boolean;
}
