import { randomUUID } from 'node:crypto';
import type { Limits } from '../config.js';
import { createError, type ErrorCode, type ErrorDetails, type ExecutionError } from '../errors.js';
import type { CallEvent, JsonValue, OnEvent, RunFigures } from '../toolbox.js';
import { onAbort } from './abort.js';
import { tellEvent } from './events.js';
import { errorOf, type ReportedFailure } from './failure.js';
import { decodePayload, encodeFrame } from './frames.js';
import type { Death } from './launch/worker.js';
import { createOutput, type Output } from './output.js';
import type { TakenWorker } from './pool.js';
import type { Request } from './requests.js';
import type { LogEntry, RunResult } from './work.js';

export interface CallPlan {
  readonly request: Request;
  readonly limits: Limits;
  /** Limits differ from those the process was born with. */
  readonly limitsChanged: boolean;
  /** The process stays for further calls. */
  readonly keep: boolean;
  readonly isolation: RunFigures['isolation'];
  readonly python: string;
  /** When the call was asked for, on the clock of `performance.now()`. */
  readonly askedAt: number;
  /** Aborts when the engine closes. */
  readonly closed: AbortSignal;
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent;
}

/** What the child says at the end of a call. */
interface Answer {
  readonly value?: JsonValue;
  readonly error?: ReportedFailure;
  readonly exitCode?: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly addedBytes: number;
  /** Streams on which an end mark was written, because the host had not read all of them. */
  readonly marked?: readonly number[];
}

/** Why the host ended a call before it answered. */
interface Cause {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
  readonly reason?: unknown;
}

/** Runs one request on a worker. Everything that can end a call is raced here, and the first cause wins. */
export function runOnWorker(taken: TakenWorker, plan: CallPlan): Promise<RunResult> {
  const { worker } = taken;
  const { limits, signal, onEvent } = plan;
  const startedAt = performance.now();
  const mark = `\0${randomUUID()}\0`;
  const logs: LogEntry[] = [];
  const unmarked = new Set<number>([0, 1]);
  let answer: Answer | undefined;
  let cause: Cause | undefined;
  let settled = false;
  let spokenBytes = 0;

  return new Promise((resolve, reject) => {
    const outputs = [createStream('stdout', 0), createStream('stderr', 1)] as const;
    const timer = setTimeout(onTimeout, limits.timeoutMs);
    const cancel = () => end({ code: 'CANCELLED', message: 'The call was cancelled', reason: signal?.reason });
    const stopWatching = [
      onAbort(signal, cancel),
      onAbort(plan.closed, () => end({ code: 'CLOSED', message: 'The engine was closed during the call' })),
    ];

    worker.listen({ onFrame, onOutput });
    void worker.gone.then(onGone);
    if (signal?.aborted) cancel();
    else worker.send(encodeRequest());

    function encodeRequest(): Buffer {
      return encodeFrame('Q', {
        ...plan.request,
        mark,
        keep: plan.keep,
        maxResultBytes: limits.maxResultBytes,
        ...(plan.limitsChanged || plan.keep ? { limits } : {}),
      });
    }

    function createStream(stream: 'stdout' | 'stderr', index: number): Output {
      return createOutput({
        maxCapturedBytes: limits.maxCapturedBytes,
        mark: Buffer.from(mark),
        onMark() {
          unmarked.delete(index);
          settleIfComplete();
        },
        ...(onEvent
          ? {
              onLine: (line: string) => tell({ type: 'output', stream, line }),
              onProgress: (progress) => tell({ type: 'progress', ...progress }),
            }
          : {}),
      });
    }

    function onFrame(type: string, payload: Buffer): void {
      if (answer || settled) return;
      let message: unknown;
      try {
        message = decodePayload(payload);
      } catch {
        return end({ code: 'PROCESS_FAILED', message: 'The script wrote something on the channel of its host' });
      }
      if (type === 'V' || type === 'E') {
        answer = message as Answer;
        return settleIfComplete();
      }
      count(payload.length);
      if (type === 'L') {
        const entry = message as LogEntry;
        logs.push(entry);
        tell({ type: 'log', ...entry });
      } else if (type === 'P') {
        tell({ type: 'progress', ...(withoutNull(message as object) as { done: number }) });
      } else if (type === 'Y') {
        tell({ type: 'value', value: (message as { value: JsonValue }).value });
      }
    }

    function onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void {
      if (settled) return;
      outputs[stream === 'stdout' ? 0 : 1].push(chunk);
      count(chunk.length);
    }

    function count(bytes: number): void {
      spokenBytes += bytes;
      if (spokenBytes <= limits.maxOutputBytes) return;
      end({
        code: 'OUTPUT_LIMIT',
        message: `The call wrote more than ${limits.maxOutputBytes} bytes of output`,
        details: { limit: limits.maxOutputBytes },
      });
    }

    function tell(event: CallEvent): void {
      if (cause || settled) return;
      const told = tellEvent(onEvent, event);
      if (!told) return;
      worker.pauseOutput();
      void told.then(worker.resumeOutput);
    }

    function onTimeout(): void {
      if (settled) return worker.kill();
      const elapsedMs = Math.round(performance.now() - startedAt);
      end({
        code: 'TIMEOUT',
        message: `The call took longer than ${limits.timeoutMs} ms`,
        details: { limit: limits.timeoutMs, elapsedMs },
      });
    }

    /** The call settles when its process tree is gone, so that whoever hears of the end may rely on it. */
    function end(first: Cause): void {
      if (cause || settled) return;
      cause = first;
      worker.kill();
    }

    function settleIfComplete(): void {
      if (!answer || cause || settled) return;
      if (answer.marked?.some((stream) => unmarked.has(stream))) return;
      settle(() => finish(answer as Answer));
      if (plan.keep) clearTimeout(timer);
      else worker.finished();
    }

    function onGone(death: Death): void {
      clearTimeout(timer);
      if (settled) return;
      if (cause) settle(() => reject(failed(cause as Cause, death)));
      else if (answer) settle(() => finish(answer as Answer));
      else settle(() => finishByDeath(death));
    }

    function settle(outcome: () => void): void {
      settled = true;
      for (const stop of stopWatching) stop();
      worker.resumeOutput();
      for (const output of outputs) output.end();
      outcome();
    }

    function finish({ error, value, exitCode, ...used }: Answer): void {
      const figures = figuresOf(used);
      if (error) return reject(errorOf(error, { ...captured(), figures }));
      resolve({ value: value ?? null, ...captured(), logs, exitCode: exitCode ?? 0, figures });
    }

    function finishByDeath(death: Death): void {
      const figures = figuresOf({ ...death, addedBytes: 0 });
      if (plan.request.kind === 'script' && death.exitCode === 0) {
        return resolve({ value: null, ...captured(), logs, exitCode: 0, figures });
      }
      reject(diedUnanswered(death, limits, { ...captured(), figures }));
    }

    function failed({ code, message, details, reason }: Cause, death: Death): ExecutionError {
      const figures = figuresOf({ ...death, addedBytes: 0 });
      return createError(code, message, { ...captured(), ...details, figures }, { cause: reason });
    }

    function captured(): { stdout: string; stderr: string } {
      return { stdout: outputs[0].text, stderr: outputs[1].text };
    }
  });

  function figuresOf(used: { cpuMs: number; peakBytes: number; addedBytes: number }): RunFigures {
    return {
      queueMs: startedAt - plan.askedAt,
      wallMs: performance.now() - startedAt,
      cpuMs: used.cpuMs,
      peakMemoryBytes: used.peakBytes,
      addedMemoryBytes: used.addedBytes,
      isolation: plan.isolation,
      launcher: taken.launcher,
      ...(taken.launcherReason ? { launcherReason: taken.launcherReason } : {}),
      python: plan.python,
      enforced: enforcedHere,
    };
  }
}

const byRlimits = process.platform === 'linux' ? 'enforced' : 'none';
const enforcedHere = {
  files: 'none',
  network: 'none',
  processes: 'none',
  memory: byRlimits,
  cpu: process.platform === 'win32' ? 'none' : 'enforced',
} as const;

function diedUnanswered(death: Death, limits: Limits, known: ErrorDetails): ExecutionError {
  const { exitCode, signal } = death;
  if (signal === 'SIGXCPU') {
    const message = `The call used more than ${limits.cpuMs} ms of processor time`;
    return createError('CPU_LIMIT', message, { ...known, limit: limits.cpuMs, signal });
  }
  if (signal !== null) {
    return createError('PROCESS_FAILED', `The process of the call was ended by ${signal}`, { ...known, signal });
  }
  const code = exitCode ?? -1;
  return createError('PROCESS_FAILED', `The process of the call ended with exit code ${code} and without an answer`, {
    ...known,
    exitCode: code,
  });
}

function withoutNull(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
