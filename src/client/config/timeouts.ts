import type { ServerEntry } from './entry.js';
import type { Fields } from './fields.js';

const longestMs = 2 ** 31 - 1;

/** Times in our words, and in those of Codex. */
export function timeoutsOf(fields: Fields): Pick<ServerEntry, 'startTimeoutMs' | 'timeoutMs'> {
  const startTimeoutMs =
    fields.count('startTimeoutMs') ?? fields.count('startup_timeout_ms') ?? inMs(fields.count('startup_timeout_sec'));
  const timeoutMs = fields.count('timeoutMs') ?? inMs(fields.count('tool_timeout_sec'));
  return {
    ...(startTimeoutMs !== undefined && { startTimeoutMs: bounded(startTimeoutMs) }),
    ...(timeoutMs !== undefined && { timeoutMs: bounded(timeoutMs) }),
  };
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function bounded(ms: number): number {
  return Math.min(Math.ceil(ms), longestMs);
}
