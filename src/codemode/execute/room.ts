import type { Ask } from '../../toolbox.js';
import { within } from './deadline.js';

/** Does the work once the script has room for what comes of it: one that asks and does not read must not fill the host. */
export async function whenRoom<T>({ room, signal }: Pick<Ask, 'room' | 'signal'>, work: () => Promise<T>): Promise<T> {
  const waiting = room?.();
  if (waiting) await within({ signal }, () => waiting);
  return work();
}
