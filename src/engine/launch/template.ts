import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants, openSync } from 'node:fs';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../log.js';
import type { Interpreter } from '../../python/interpreter.js';
import type { JsonObject, JsonValue } from '../../toolbox.js';
import { createFrameReader, decodePayload, encodeFrame } from '../frames.js';
import { createMarkFinder } from '../mark.js';
import { createLane, type Lane } from './lane.js';
import { startPart } from './start.js';
import { type Death, swept } from './worker.js';

/**
 * The trusted Python process that forks zygotes and makes the descriptors of their children. The pipes of a lane last,
 * and each process gets ends of its own, so that nothing one process does to its descriptors reaches the next.
 */
export interface Template {
  /** Unique over all zygotes, children and lanes of one template. */
  nextKey(): number;
  startZygote(order: Birth & { spec: JsonObject; onDeath(death: Death): void }): void;
  giveBirth(order: Birth & { zygote: number; isHurried: boolean }): void;
  killZygote(key: number): void;
  /** No process will write on this lane any more; resolves when all that was written is read. */
  discardLane(lane: number): Promise<void>;
  readonly ended: boolean;
  close(): Promise<void>;
}

export interface Birth {
  readonly key: number;
  readonly lane: number;
  /** Called when the new process speaks for the first time. */
  onHere(lane: Lane): void;
  /** Called where its pipes cannot be had, instead. */
  onFailed(reason: string): void;
}

interface NumberedLane {
  lane?: Lane;
  occupant?: Birth & { readonly token: Buffer };
}

const maxControlFrameBytes = 16 * 1024 * 1024;
const maxComplaint = 4096;
const closeGraceMs = 2000;
const tokenBytes = 16;

export function createTemplate(
  interpreter: Interpreter,
  environment: Record<string, string>,
  log: Log,
  sandboxed = false,
): Template {
  const role = sandboxed ? 'sandboxed-template' : 'template';
  try {
    return attend(startPart(interpreter, role, environment, ['ignore', 'pipe', 'pipe', 'pipe']), log);
  } catch (error) {
    log.error('template not started', { detail: String(error) });
    return neverStarted;
  }
}

const neverStarted: Template = {
  nextKey: () => 0,
  startZygote: ({ onDeath }) => queueMicrotask(() => onDeath(swept)),
  giveBirth() {},
  killZygote() {},
  discardLane: async () => {},
  ended: true,
  close: async () => {},
};

function attend(python: ChildProcess, log: Log): Template {
  const zygotes = new Map<number, (death: Death) => void>();
  const lanes = new Map<number, NumberedLane>();
  let unsent: Buffer[] = [];
  let keys = 0;
  let ended = false;
  let closing = false;
  python.stdout?.resume();
  const control = python.stdio[3] as Duplex;
  const reader = createFrameReader({ maxBytes: maxControlFrameBytes, onFrame, onError: () => python.kill('SIGKILL') });
  control.on('error', () => {});
  control.on('data', (chunk: Buffer) => reader.push(chunk));
  const complaint = lastWords(python);
  const exited = new Promise<void>((resolve) => {
    const finish = (detail: unknown) => {
      if (!closing) log.error('template ended', { detail, complaint: complaint() });
      sweep();
      resolve();
    };
    python.once('error', (error) => finish(error.message));
    python.once('exit', (exitCode, signal) => finish({ exitCode, signal }));
  });

  function sweep(): void {
    ended = true;
    control.destroy();
    for (const onDeath of zygotes.values()) onDeath(swept);
    zygotes.clear();
  }

  /** Orders go out together at the end of the turn, after whatever a caller waits for. */
  function send(type: string, payload: JsonValue): void {
    if (unsent.push(encodeFrame(type, payload)) === 1) setImmediate(flush);
  }

  function flush(): void {
    if (unsent.length > 0 && !control.destroyed) control.write(Buffer.concat(unsent));
    unsent = [];
  }

  function onFrame(type: string, payload: Buffer): void {
    if (type === 'L') {
      const { lane, fds } = decodePayload(payload) as { lane: number; fds: readonly [number, number, number, number] };
      openLane(lane, fds);
    } else if (type === 'D') {
      const { key, ...death } = decodePayload(payload) as Death & { key: number };
      const onDeath = zygotes.get(key);
      zygotes.delete(key);
      onDeath?.(death);
    } else if (type === 'N') {
      const { key, lane, reason } = decodePayload(payload) as { key: number; lane: number; reason: string };
      const occupant = lanes.get(lane)?.occupant;
      if (occupant?.key === key) occupant.onFailed(reason);
    }
  }

  function openLane(
    number: number,
    [requests, answers, stdout, stderr]: readonly [number, number, number, number],
  ): void {
    const numbered = lanes.get(number);
    if (!numbered) return;
    numbered.lane?.listen(undefined);
    const opened: net.Socket[] = [];
    const openPipe = (descriptor: number, mode: number) => {
      const fd = openSync(`/proc/${python.pid}/fd/${descriptor}`, mode | constants.O_NONBLOCK);
      const readable = mode === constants.O_RDONLY;
      const pipe = new net.Socket({ fd, readable, writable: !readable });
      opened.push(pipe);
      return pipe;
    };
    try {
      numbered.lane = createLane({
        requests: openPipe(requests, constants.O_WRONLY),
        answers: openPipe(answers, constants.O_RDONLY),
        stdout: openPipe(stdout, constants.O_RDONLY),
        stderr: openPipe(stderr, constants.O_RDONLY),
      });
    } catch (error) {
      for (const pipe of opened) pipe.destroy();
      log.error('lane not opened', { detail: String(error) });
      return numbered.occupant?.onFailed((error as NodeJS.ErrnoException).code ?? 'its pipes cannot be opened');
    }
    awaitOccupant(numbered);
  }

  function occupy(birth: Birth): string {
    const token = randomBytes(tokenBytes);
    const numbered = lanes.get(birth.lane) ?? {};
    lanes.set(birth.lane, numbered);
    numbered.occupant = { ...birth, token };
    awaitOccupant(numbered);
    return token.toString('hex');
  }

  /** What comes before the new process's own token was written by the one before it. */
  function awaitOccupant({ lane, occupant }: NumberedLane): void {
    if (!lane || !occupant) return;
    const finder = createMarkFinder(occupant.token);
    lane.resume();
    lane.listen({
      onAnswer(chunk) {
        const { after } = finder.push(chunk);
        if (!after) return;
        occupant.onHere(lane);
        if (after.length > 0) lane.replay(after);
      },
      onOutput() {},
    });
  }

  return {
    nextKey: () => ++keys,
    startZygote({ spec, onDeath, ...birth }) {
      if (ended) return queueMicrotask(() => onDeath(swept));
      const { key, lane } = birth;
      zygotes.set(key, onDeath);
      send('Z', { ...spec, key, lane, token: occupy(birth) });
    },
    giveBirth({ zygote, isHurried, ...birth }) {
      const { key, lane } = birth;
      send('B', { zygote, key, lane, token: occupy(birth), hurried: isHurried });
    },
    killZygote: (key) => send('K', { key }),
    async discardLane(number) {
      const lane = lanes.get(number)?.lane;
      if (ended) lane?.destroy();
      if (lanes.delete(number)) send('F', { lane: number });
      await lane?.ended;
    },
    get ended() {
      return ended;
    },
    async close() {
      closing = true;
      flush();
      control.end();
      const timer = setTimeout(() => python.kill('SIGKILL'), closeGraceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

function lastWords(python: ChildProcess): () => string {
  let words = '';
  python.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-maxComplaint);
  });
  return () => words;
}
