import type { Queue } from '../../queue/queue.js';
import { engineClosed } from '../failure.js';
import type { Launcher, Readiness } from './launcher.js';

/** A launcher of forked workers that begins its import when the queue gives it a turn, which it has until the import is over. */
export function createLauncherInTurn(queue: Pick<Queue, 'run'>, create: () => Launcher): Launcher {
  const givenUp = new AbortController();
  let inner: Launcher | undefined;
  let onEnd: ((error: Error) => void) | undefined;

  const begun = new Promise<Launcher>((resolve, reject) => {
    const begin = async () => {
      inner = create();
      if (onEnd) inner.onEnd(onEnd);
      resolve(inner);
      await inner.ready;
    };
    queue.run(begin, { signal: givenUp.signal }).catch(reject);
  });
  const ready: Promise<Readiness> = begun.then((launcher) => launcher.ready);
  ready.catch(() => {});

  return {
    kind: 'fork',
    ready,
    get maxStarting() {
      return inner?.maxStarting ?? 0;
    },
    get growthBytes() {
      return inner?.growthBytes ?? 0;
    },
    onEnd(listener) {
      onEnd = listener;
      inner?.onEnd(listener);
    },
    launch: (isHurried) => (inner ? inner.launch(isHurried) : Promise.reject(engineClosed())),
    async close() {
      givenUp.abort();
      await inner?.close();
    },
  };
}
