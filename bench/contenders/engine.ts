import type { EngineStatus } from '../../src/engine/work.js';
import { type Contender, pause, type Sizes } from './contender.js';

/** What the bench needs of an engine, or of the one within a PythonEngine. */
export interface MeasuredEngine {
  status?(): EngineStatus;
  close(): Promise<void>;
}

const settleMs = 20;
const patienceMs = 3000;

/** A way to call this engine. */
export function createEngineContender(
  name: string,
  sizes: Sizes,
  engine: MeasuredEngine,
  call: (slot: number) => Promise<void>,
): Contender {
  let mostIdle = 0;

  return {
    name,
    sizes,
    call,
    ready: untilRefilled,
    async rest() {
      await pause(settleMs);
      await untilRefilled();
    },
    close: () => engine.close(),
  };

  /** As many processes stand ready as ever did. */
  async function untilRefilled(): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (idleNow() < mostIdle && performance.now() < deadline) await pause(1);
  }

  function idleNow(): number {
    const idle = engine.status?.().scripts.reduce((sum, script) => sum + script.idle, 0) ?? 0;
    mostIdle = Math.max(mostIdle, idle);
    return idle;
  }
}
