import { randomUUID } from 'node:crypto';
import type { Limits } from '../config.js';
import { createError, type ErrorCode, type ErrorDetails, type ExecutionError, errorTable } from '../errors.js';
import { onAbort } from '../queue/abort.js';
import type { CallEvent, Enforced, OnAsk, OnEvent, RunFigures } from '../toolbox.js';
import { type Asks, createAsks } from './asks.js';
import { tellEvent } from './events.js';
import { errorOf, wroteOnChannel } from './failure.js';
import { createFiles, type Files } from './files.js';
import { encodeFrame } from './frames.js';
import { type Death, swept } from './launch/worker.js';
import { type Answer, readMessage } from './messages.js';
import { createOutput, type Output } from './output.js';
import type { TakenWorker } from './pool.js';
import type { Request } from './requests.js';
import type { LogEntry, ReturnedFile, RunResult } from './work.js';

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
  /** Aborts when the engine or the session ends, with the error that says so. */
  readonly closed: AbortSignal;
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent;
  readonly onAsk?: OnAsk;
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
  const { limits, signal, onEvent, onAsk } = plan;
  const startedAt = performance.now();
  const mark = `\0${randomUUID()}\0`;
  const logs: LogEntry[] = [];
  const unmarked = new Set<unknown>([0, 1]);
  let files: Files | undefined;
  let answer: Answer | undefined;
  let cause: Cause | undefined;
  let death: Death | undefined;
  let settled = false;
  let spokenBytes = 0;
  let untold = 0;

  return new Promise((resolve, reject) => {
    const outputs: { stdout?: Output; stderr?: Output } = {};
    const timer = setTimeout(onTimeout, limits.timeoutMs);
    const cancel = () => end({ code: 'CANCELLED', message: 'The call was cancelled', reason: signal?.reason });
    const close = () => end({ code: 'CLOSED', message: String(plan.closed.reason?.message) });
    const stopWatching = [onAbort(signal, cancel), onAbort(plan.closed, close)];
    const asks = onAsk && listenTo(onAsk);

    worker.listen({ onFrame, onOutput, onBroken, onGone });
    if (plan.closed.aborted) close();
    else if (signal?.aborted) cancel();
    else begin();

    /** What was checked at the border may have changed in the queue, or be larger than any text can be. */
    function begin(): void {
      try {
        worker.send(encodeRequest());
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        end({ code: 'INVALID_ARGUMENTS', message: `The request cannot be said in JSON: ${why}`, reason: error });
      }
    }

    function encodeRequest(): Buffer {
      return encodeFrame('Q', {
        ...plan.request,
        mark,
        keep: plan.keep,
        maxResultBytes: limits.maxResultBytes,
        ...(asks ? { answers: true } : {}),
        ...(plan.limitsChanged || plan.keep ? { limits } : {}),
      });
    }

    function listenTo(answer: OnAsk): Asks {
      const { maxResultBytes } = limits;
      const bounds = { maxAnswerBytes: maxResultBytes, maxAskedBytes: maxResultBytes };
      return createAsks({ onAsk: answer, ...bounds, send: worker.send, onFlood });
    }

    function onFlood(): void {
      end({ code: 'PROCESS_FAILED', message: 'The script asks its host again and again without reading the answers' });
    }

    /** Most calls write nothing, so a stream is followed from its first byte. */
    function createStream(stream: 'stdout' | 'stderr'): Output {
      return createOutput({
        maxCapturedBytes: limits.maxCapturedBytes,
        mark: Buffer.from(mark),
        onMark() {
          unmarked.delete(stream === 'stdout' ? 0 : 1);
          settleIfDone();
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
      const message = readMessage(type, payload);
      if (!message) return onBroken();
      if (message.type === 'answer') {
        answer = message.answer;
        return settleIfDone();
      }
      if (message.type === 'file') return take(message.file, payload.length);
      if (message.type === 'ask') return asks ? asks.take(message, payload.length) : onBroken();
      if (message.type === 'give up') return asks?.giveUp(message.id);
      count(payload.length);
      if (message.type === 'log') logs.push({ level: message.level, message: message.message });
      tell(message);
    }

    function take(file: ReturnedFile, bytes: number): void {
      files ??= createFiles(limits.maxResultBytes);
      if (files.add(file, bytes)) return;
      end({
        code: 'RESULT_LIMIT',
        message: `The files of the call take more than ${limits.maxResultBytes} bytes as base64`,
        details: { limit: limits.maxResultBytes },
      });
    }

    function onBroken(type = ''): void {
      if (['L', 'P', 'Y', 'C'].includes(type)) count(Number.POSITIVE_INFINITY);
      end({ code: 'PROCESS_FAILED', message: wroteOnChannel });
    }

    function onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void {
      if (settled || cause?.code === 'OUTPUT_LIMIT') return;
      outputs[stream] ??= createStream(stream);
      outputs[stream].push(chunk);
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
      if (untold++ === 0) worker.pause();
      void told.then(() => {
        if (--untold > 0 || cause || settled) return;
        worker.resume();
        settleIfDone();
      });
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

    function end(first: Cause): void {
      if (cause || settled) return;
      cause = first;
      asks?.end();
      worker.resume();
      worker.kill();
      settleIfDone();
    }

    function onGone(last: Death): void {
      death = last;
      settleIfDone();
    }

    /**
     * An ended call settles when its process tree is gone, so that whoever hears of the end may rely on it; an answered
     * one when all that was written is read and told, so that the result is the last that its caller hears.
     */
    function settleIfDone(): void {
      if (!isDone()) return;
      outputs.stdout?.end();
      outputs.stderr?.end();
      if (!isDone() || (untold > 0 && !cause)) return;
      settled = true;
      asks?.end();
      for (const stop of stopWatching) stop();
      worker.resume();
      letGo();
      if (cause) reject(failed(cause, death ?? swept));
      else if (answer) finish(answer);
      else finishByDeath(death ?? swept);
    }

    function isDone(): boolean {
      if (settled || death || cause) return !settled && death !== undefined;
      return answer !== undefined && !answer.marked?.some((stream) => unmarked.has(stream));
    }

    /** A process that is used once has the rest of the call's time to finish what it left open. */
    function letGo(): void {
      if (plan.keep || death) return clearTimeout(timer);
      worker.finished();
      void worker.gone.then(() => clearTimeout(timer));
    }

    function finish({ error, value, exitCode, ...used }: Answer): void {
      const figures = figuresOf(used);
      if (error) return reject(errorOf(error, { ...captured(), figures }));
      resolve({ value: value ?? null, ...captured(), ...given(), exitCode: exitCode ?? 0, figures });
    }

    function finishByDeath(death: Death): void {
      const figures = figuresOf({ ...death, addedBytes: 0 });
      if (plan.request.kind === 'script' && death.exitCode === 0) {
        return resolve({ value: null, ...captured(), ...given(), exitCode: 0, figures });
      }
      reject(diedUnanswered(death, limits, { ...captured(), figures }));
    }

    function failed({ code, message, details, reason }: Cause, death: Death): ExecutionError {
      const figures = figuresOf({ ...death, addedBytes: 0 });
      return createError(code, message, { ...captured(), ...details, figures }, { cause: reason });
    }

    function given(): Pick<RunResult, 'logs' | 'files'> {
      return { logs, files: files?.list ?? [] };
    }

    function captured(): { stdout: string; stderr: string } {
      return { stdout: outputs.stdout?.text ?? '', stderr: outputs.stderr?.text ?? '' };
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
      profile: taken.profile,
      enforced: plan.keep ? ofKept(taken.enforced) : taken.enforced,
    };
  }
}

/** A process that serves many calls cannot seal what each of them may use. */
function ofKept(enforced: Enforced): Enforced {
  return enforced.cpu === 'enforced' ? { ...enforced, cpu: 'best-effort' } : enforced;
}

const watchedLimits: Readonly<Record<string, ErrorCode>> = {
  MEMORY_LIMIT: 'MEMORY_LIMIT',
  CPU_LIMIT: 'CPU_LIMIT',
  DISK_LIMIT: 'DISK_LIMIT',
};

function diedUnanswered(death: Death, limits: Limits, known: ErrorDetails): ExecutionError {
  const { exitCode, signal, ended } = death;
  const code = watchedLimits[ended ?? ''];
  if (code) return createError(code, errorTable[code].meaning, known);
  if (signal === 'SIGXCPU' || (signal === 'SIGKILL' && death.cpuMs >= limits.cpuMs)) {
    const message = `The call used more than ${limits.cpuMs} ms of processor time`;
    return createError('CPU_LIMIT', message, { ...known, limit: limits.cpuMs, signal });
  }
  if (signal !== null) {
    return createError('PROCESS_FAILED', `The process of the call was ended by ${signal}`, { ...known, signal });
  }
  const ending = exitCode ?? -1;
  return createError('PROCESS_FAILED', `The process of the call ended with exit code ${ending} and without an answer`, {
    ...known,
    exitCode: ending,
  });
}
