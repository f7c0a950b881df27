import type { JsonSchema, Tool } from '../toolbox.js';

/** What the result of a tool is known to look like. */
export interface ResultSchema {
  readonly schema: JsonSchema;
  /** Said by the server itself, or inferred from answers. */
  readonly origin: 'declared' | 'inferred';
  /** Of an inferred one: from how many answers. */
  readonly samples?: number;
  /** Of an inferred one: the answers were one text each, which was JSON, and is given to scripts decoded. */
  readonly isJsonText?: boolean;
}

export interface KnownTool {
  readonly tool: Tool;
  readonly result?: ResultSchema;
}

/** All that is generated for one server. */
export interface KnownServer {
  readonly name: string;
  readonly description?: string;
  readonly tools: readonly KnownTool[];
}
