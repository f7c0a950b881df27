import type { TestedServer, TreeUsage } from '../../testedserver.js';
import type { SuiteReport } from '../report.js';
import { createMeasures, type MeasureCollector } from './measures.js';
import { startSampler } from './sampler.js';

type Measures = SuiteReport['measures'];

/** All that is measured while a suite runs. */
export interface Figures extends Pick<MeasureCollector, 'noteCall' | 'noteValidator'> {
  /** From now until it is over, the server is looked at from time to time. */
  watch(server: TestedServer): void;
  /** The largest memory of the server's tree while the work was done, where that can be seen. */
  peakMemoryDuring<T>(
    server: TestedServer,
    work: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly bytes?: number }>;
  /** When nothing more is to be measured, and all servers were closed. */
  finish(): Promise<Measures>;
}

const everyMs = 100;
const everyMsOfOneRequest = 20;
/** Of servers that run at once; the others are many of the same. */
const mostWatched = 16;

export function createFigures(): Figures {
  const { noteCall, noteValidator, measures } = createMeasures();
  const watched = new Set<TestedServer>();
  /** By processes, which several sessions may share. */
  const cpuOf = new Map<object, number>();
  /** Of servers that are not gone yet, or of which the last is not known yet. */
  const endings = new Map<TestedServer, Promise<void>>();
  let cpuOfEnded = 0;
  let mostAtLast = 0;
  let sampler: ReturnType<typeof startSampler> | undefined;
  return {
    noteCall,
    noteValidator,
    watch(server) {
      if (server.pid === undefined) return;
      endings.set(
        server,
        server.ended.then(() => takeLeave(server)),
      );
      if (watched.size >= mostWatched) return;
      watched.add(server);
      sampler ??= startSampler(usageOfAll, { everyMs });
    },
    async peakMemoryDuring(server, work) {
      if (server.pid === undefined) return { value: await work() };
      const own = startSampler(() => server.usage(), { everyMs: everyMsOfOneRequest });
      try {
        const value = await work();
        const bytes = await own.peakSince(0);
        return { value, ...(bytes !== undefined && { bytes }) };
      } finally {
        await own.stop();
      }
    },
    async finish() {
      await sampler?.stop();
      await Promise.all([...endings].flatMap(([server, ending]) => (server.isOver ? [ending] : [])));
      const { samples = [] } = sampler ?? {};
      const peakMemoryBytes = samples.reduce((most, { memoryBytes }) => Math.max(most, memoryBytes), mostAtLast);
      return measures(samples.length === 0 ? undefined : { peakMemoryBytes, cpuMs: cpuOfAll(), samples });
    },
  };

  /** The memory of the largest; the time of all that there were. */
  async function usageOfAll(): Promise<TreeUsage | undefined> {
    const seen = await Promise.all([...watched].map(usageOf));
    const [largest] = seen.flatMap((usage) => usage ?? []).sort((one, other) => other.memoryBytes - one.memoryBytes);
    return largest && { ...largest, cpuMs: cpuOfAll() };
  }

  async function usageOf(server: TestedServer): Promise<TreeUsage | undefined> {
    const usage = await server.usage();
    const process = processOf(server);
    if (usage && endings.has(server)) cpuOf.set(process, Math.max(usage.cpuMs, cpuOf.get(process) ?? 0));
    return usage;
  }

  /** What it took between the last look and its end would be missing otherwise, which of a short run is most of it. */
  async function takeLeave(server: TestedServer): Promise<void> {
    watched.delete(server);
    const last = await usageOf(server).catch(() => undefined);
    mostAtLast = Math.max(mostAtLast, last?.memoryBytes ?? 0);
    endings.delete(server);
    const process = processOf(server);
    if ([...endings.keys()].some((other) => processOf(other) === process)) return;
    cpuOfEnded += cpuOf.get(process) ?? 0;
    cpuOf.delete(process);
  }

  function cpuOfAll(): number {
    return [...cpuOf.values()].reduce((total, ms) => total + ms, cpuOfEnded);
  }
}

function processOf(server: TestedServer): object {
  return server.served?.process ?? server;
}
