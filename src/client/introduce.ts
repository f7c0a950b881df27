import type { Client } from '@modelcontextprotocol/client';
import { ExecutionError } from '../errors.js';
import { longestTimerMs, within } from './deadline.js';
import { failureOf, serverFailed } from './failures.js';
import type { Link } from './link.js';

/** Time limits are this side's; the SDK's own is put as far off as a timer goes. */
export const noTimeout = { timeout: longestTimerMs } as const;

/** Results are passed on as they are; the SDK would use this to hold them against what the server promised. */
export const noSchemaValidator = {
  getValidator(): never {
    throw new Error('This client validates no results of servers');
  },
};

/** Lets client and server get to know each other. The link is ended where that fails. */
export async function introduce(
  client: Client,
  link: Link,
  startTimeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await within(startTimeoutMs, (own) => client.connect(link.transport, { ...noTimeout, ...own }), signal);
  } catch (error) {
    const failure = isTimeout(error)
      ? serverFailed(
          `The MCP server did not introduce itself within ${startTimeoutMs} ms, and was given up`,
          link.lastWords?.(),
        )
      : failureOf(error, link);
    await link.end(() => serverFailed('The MCP server was given up'), { graceMs: 0 });
    throw failure;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof ExecutionError && error.code === 'TIMEOUT';
}
