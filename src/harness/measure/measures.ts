import type { RunFigures } from '../../toolbox.js';
import type { SuiteReport } from '../report.js';
import { percentilesOf } from './percentiles.js';

type Measures = SuiteReport['measures'];

/** What calls and validators took, collected while a suite runs. */
export interface MeasureCollector {
  noteCall(tool: string, ms: number, failed: boolean): void;
  noteValidator(figures: RunFigures): void;
  measures(server?: Measures['server']): Measures;
}

interface Calls {
  readonly times: Times;
  failures: number;
}

export function createMeasures(): MeasureCollector {
  const tools = new Map<string, Calls>();
  const wall = createTimes();
  let cpuMs = 0;
  let peakMemoryBytes = 0;
  return {
    noteCall(tool, ms, failed) {
      const calls = tools.get(tool) ?? { times: createTimes(), failures: 0 };
      tools.set(tool, calls);
      calls.times.note(ms);
      if (failed) calls.failures += 1;
    },
    noteValidator(figures) {
      wall.note(figures.wallMs);
      cpuMs += figures.cpuMs;
      peakMemoryBytes = Math.max(peakMemoryBytes, figures.peakMemoryBytes);
    },
    measures: (server) => ({
      tools: [...tools]
        .map(([tool, { times, failures }]) => ({ tool, calls: times.count, failures, latency: times.percentiles() }))
        .sort((one, other) => (one.tool < other.tool ? -1 : 1)),
      ...(server && { server }),
      ...(wall.count > 0 && {
        validators: { runs: wall.count, wall: wall.percentiles(), cpuMs, peakMemoryBytes },
      }),
    }),
  };
}

interface Times {
  readonly count: number;
  note(ms: number): void;
  percentiles(): Measures['tools'][number]['latency'];
}

const mostKept = 100_000;

/** Of very many, each has the same chance to be among those that are kept. */
function createTimes(): Times {
  const kept: number[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    note(ms) {
      count += 1;
      if (kept.length < mostKept) kept.push(ms);
      else {
        const place = Math.floor(Math.random() * count);
        if (place < mostKept) kept[place] = ms;
      }
    },
    percentiles: () => ({ ...percentilesOf(kept), count }),
  };
}
