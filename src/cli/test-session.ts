import type { Settings } from '../config.js';
import type { Log } from '../log.js';
import type { Harness, HarnessOptions } from '../services/harness.js';
import type { Terminal } from './terminal.js';

export type CreateHarness = (options: HarnessOptions) => Harness | Promise<Harness>;
export type OpenHarness = () => Promise<Harness>;

/** The harness is made when it is first asked for, kept, and closed after the work whatever comes. */
export async function withHarness<T>(
  engine: Settings,
  log: Log,
  terminal: Terminal,
  work: (open: OpenHarness) => Promise<T>,
): Promise<T> {
  const { environment } = terminal;
  let opened: Harness | undefined;
  try {
    return await work(async () => {
      const create = terminal.createHarness ?? (await import('../services/harness.js')).createHarness;
      opened ??= await create({ engine, environment, log });
      return opened;
    });
  } finally {
    await opened?.close();
  }
}
