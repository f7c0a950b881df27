import type { Writable } from 'node:stream';

/** Keeps stdout for the protocol: whatever else writes to it, from now on, writes to stderr. */
export function claimStdout(): Writable {
  const { stdout, stderr } = process;
  Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get: () => stderr });
  for (const method of ['log', 'info', 'debug', 'dir', 'table'] as const) console[method] = console.error;
  return stdout;
}
