import { join } from 'node:path';

const scale = Number(process.env.MCP_EXECUTION_LONG_SCALE ?? '1');

/** The count of a full run, or less of it where a trial asks for less. */
export function scaled(count: number): number {
  return Math.max(1, Math.round(count * scale));
}

export const longMs = 15 * 60_000;

export function longScript(name: string): string {
  return join(import.meta.dirname, 'scripts', name);
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs the task for 0 … count - 1, so many at once. */
export async function runMany(count: number, atOnce: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const runner = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}
