import { type ChildProcess, spawn } from 'node:child_process';
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { type Log, reference } from '../../log.js';
import type { Interpreter } from '../../python/interpreter.js';
import { pythonPart } from '../../python/part.js';
import type { JsonObject, JsonValue } from '../../toolbox.js';
import { createFrameReader, decodePayload, encodeFrame } from '../frames.js';
import { createOutputs, type Outputs } from './outputs.js';
import { type Death, swept } from './worker.js';

/** The host's end of a new process: its own connection, and the lane that its output comes by. */
export interface Connection {
  readonly socket: net.Socket;
  readonly outputs: Outputs;
}

/**
 * The trusted Python process that forks zygotes and makes the descriptors of their children. A lane is a pair of pipes
 * for output: the host's ends last, each process gets writing ends of its own.
 */
export interface Template {
  /** Unique over all zygotes, children and lanes of one template. */
  nextKey(): number;
  startZygote(key: number, lane: number, spec: JsonObject, onDeath: (death: Death) => void): void;
  giveBirth(zygote: number, key: number, lane: number): void;
  killZygote(key: number): void;
  /** Says who waits for the connection of a process. */
  expect(key: number, lane: number, onConnection: (connection: Connection) => void): void;
  forget(key: number): void;
  /** Closes the writing ends of a lane, so that its output comes to an end. */
  discardLane(lane: number): void;
  readonly ended: boolean;
  close(): Promise<void>;
}

interface Hello {
  readonly key: number;
  /** Descriptors of new pipes in the template; none when the lane is used again. */
  readonly pipes: readonly [number, number] | null;
}

const maxControlFrameBytes = 16 * 1024 * 1024;
const closeGraceMs = 2000;
const helloType = 'H'.charCodeAt(0);
const headerBytes = 5;

export function createTemplate(interpreter: Interpreter, environment: Record<string, string>, log: Log): Template {
  const folder = mkdtempSync(join(shortTemporaryFolder(), 'mcp-execution-'));
  const address = join(folder, 'host');
  const expected = new Map<number, { lane: number; onConnection: (connection: Connection) => void }>();
  const zygotes = new Map<number, (death: Death) => void>();
  const lanes = new Map<number, Outputs>();
  let unsent: Buffer[] = [];
  let opened: number[] = [];
  let keys = 0;
  let control: Duplex | undefined;
  let child: ChildProcess | undefined;
  let ended = false;
  let closing = false;

  const server = net.createServer(greet);
  const listening = new Promise<void>((resolve, reject) => server.listen(address, resolve).once('error', reject));
  const exited = listening.then(start);

  function start(): Promise<void> {
    const python = spawn(interpreter.executable, ['-X', 'utf8', join(pythonPart(), 'start.py'), 'template'], {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child = python;
    control = python.stdio[3] as Duplex;
    control.on('error', () => {});
    let complaint = '';
    python.stderr?.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString('utf8')).slice(-4096);
    });
    const reader = createFrameReader({
      maxBytes: maxControlFrameBytes,
      onFrame,
      onError: () => python.kill('SIGKILL'),
    });
    control.on('data', (chunk: Buffer) => reader.push(chunk));
    unsent.unshift(encodeFrame('I', { socket: address }));
    flush();
    return new Promise((resolve) => {
      const finish = (detail: unknown) => {
        if (!closing) log.error('template ended', { detail, complaint, reference: reference() });
        sweep();
        resolve();
      };
      python.once('error', (error) => finish(error.message));
      python.once('exit', (exitCode, signal) => finish({ exitCode, signal }));
    });
  }

  function sweep(): void {
    ended = true;
    server.close();
    rmSync(folder, { recursive: true, force: true });
    for (const onDeath of zygotes.values()) onDeath(swept);
    zygotes.clear();
  }

  /** Orders go out together at the end of the turn, after whatever a caller waits for. */
  function send(type: string, payload: JsonValue): void {
    if (unsent.push(encodeFrame(type, payload)) === 1) setImmediate(flush);
  }

  function flush(): void {
    if (!control) return;
    if (opened.length > 0) unsent.push(encodeFrame('O', opened));
    opened = [];
    if (unsent.length > 0) control.write(Buffer.concat(unsent));
    unsent = [];
  }

  function onFrame(type: string, payload: Buffer): void {
    if (type !== 'D') return;
    const { key, ...death } = decodePayload(payload) as Death & { key: number };
    const onDeath = zygotes.get(key);
    zygotes.delete(key);
    onDeath?.(death);
  }

  /** The first frame on a connection says whose it is and where its output pipes are. */
  function greet(socket: net.Socket): void {
    socket.on('error', () => {});
    socket.once('data', (chunk: Buffer) => {
      const end = headerBytes + (chunk.length >= headerBytes ? chunk.readUInt32BE(1) : 0);
      if (chunk[0] !== helloType || chunk.length < end) return socket.destroy();
      const { key, pipes } = decodePayload(chunk.subarray(headerBytes, end)) as Hello;
      const waiting = expected.get(key);
      expected.delete(key);
      if (pipes && waiting) openLane(waiting.lane, pipes);
      const outputs = waiting && lanes.get(waiting.lane);
      if (!outputs) return socket.destroy();
      waiting.onConnection({ socket, outputs });
      if (chunk.length > end) socket.emit('data', chunk.subarray(end));
    });
  }

  function openLane(lane: number, [out, err]: readonly [number, number]): void {
    lanes.get(lane)?.listen(undefined);
    lanes.set(lane, createOutputs(openPipe(out), openPipe(err)));
    if (unsent.length === 0 && opened.length === 0) setImmediate(flush);
    opened.push(lane);
  }

  function openPipe(descriptor: number): Readable {
    const fd = openSync(`/proc/${child?.pid}/fd/${descriptor}`, constants.O_RDONLY | constants.O_NONBLOCK);
    return new net.Socket({ fd, readable: true, writable: false });
  }

  return {
    nextKey: () => ++keys,
    startZygote(key, lane, spec, onDeath) {
      if (ended) return queueMicrotask(() => onDeath(swept));
      zygotes.set(key, onDeath);
      send('Z', { ...spec, key, lane });
    },
    giveBirth: (zygote, key, lane) => send('B', { zygote, key, lane }),
    killZygote: (key) => send('K', { key }),
    expect: (key, lane, onConnection) => void expected.set(key, { lane, onConnection }),
    forget: (key) => void expected.delete(key),
    discardLane(lane) {
      lanes.delete(lane);
      send('F', { lane });
    },
    get ended() {
      return ended;
    },
    async close() {
      closing = true;
      await listening;
      flush();
      control?.end();
      const timer = setTimeout(() => child?.kill('SIGKILL'), closeGraceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** A unix socket's path has about 100 bytes. */
function shortTemporaryFolder(): string {
  return tmpdir().length < 60 ? tmpdir() : '/tmp';
}
