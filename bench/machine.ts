import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** What the figures depend on, and nothing that says whose machine it is. */
export function describeMachine(python: string): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GB of memory`;
  const kernel = `${type()} ${release().replace(/[^\d.].*/, '')}`;
  return [
    `${processor}, ${availableParallelism()} cores, ${memory}`,
    `${kernel}, Node ${process.versions.node}, Python ${python}`,
  ].join('; ');
}
