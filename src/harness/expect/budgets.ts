import type { Finding } from '../report.js';
import type { Expect } from '../suite/schema-expect.js';

export function checkLatency({ latency }: Expect, ms: number): readonly Finding[] {
  if (latency === undefined || ms <= latency) return [];
  const message = `The answer took ${rounded(ms)} ms; ${rounded(latency)} ms are allowed.`;
  return [{ kind: 'latency', message, expected: latency, actual: ms }];
}

export function checkMemory({ memory }: Expect, peakMemoryBytes: number | undefined): readonly Finding[] {
  if (memory === undefined) return [];
  if (peakMemoryBytes === undefined) {
    const message = 'The memory of the server is not known: it is no process of this machine, or was gone too soon.';
    return [{ kind: 'memory', message, expected: memory }];
  }
  if (peakMemoryBytes <= memory) return [];
  const message = `The server held ${inMegabytes(peakMemoryBytes)}; ${inMegabytes(memory)} are allowed.`;
  return [{ kind: 'memory', message, expected: memory, actual: peakMemoryBytes }];
}

function rounded(ms: number): string {
  return String(ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms));
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e5) / 10} MB`;
}
