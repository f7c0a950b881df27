import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';
import { type HostProcess, startHostProcess } from './onlooker.js';

/** What the host prepares for one attack, and how it looks at it afterwards. */
export interface Stage {
  /** Nobody told the script; whoever can say it has read it. */
  readonly secret: string;
  /** A folder outside that belongs to the attacker where nothing is enforced. */
  readonly here: string;
  readonly secretFile: string;
  readonly secretFolder: string;
  readonly victimFolder: string;
  readonly victimFile: string;
  readonly victim: { readonly pid: number; readonly address: number; readonly secret: string };
  readonly sockets: JsonObject;
  /** Names for what outlives a process without being a file in a folder. */
  readonly shared: { readonly name: string; readonly key: number; readonly queue: string };
  ask(request: JsonObject): Promise<JsonValue>;
  /** A port on which nobody listens. */
  readonly freePort: number;
}

/** Prepares a stage for each attack of a test file; all of it is gone after the file. */
export function useStages(): () => Promise<Stage> {
  const name = `mcp-execution-attack-${randomUUID()}`;
  let root: string;
  let onlooker: HostProcess;
  let victim: { process: HostProcess; secret: string } | undefined;
  let firstState = '';

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'mcp-execution-attacks-'));
    onlooker = await startHostProcess('onlooker.py', root, name);
  });

  afterAll(async () => {
    await Promise.all([onlooker?.close(), victim?.process.close()]);
    rmSync(root, { recursive: true, force: true });
  });

  return async () => {
    const secret = randomSecret();
    const paths = makeFolders(root, secret);
    await onlooker.ask({ do: 'mark', file: paths.victimFile });
    const { process, secret: kept } = await soundVictim();
    return {
      secret,
      ...paths,
      victim: { pid: process.pid, address: Number(process.about.address), secret: kept },
      sockets: {
        port: onlooker.about.tcp ?? 0,
        port6: onlooker.about.tcp6 ?? 0,
        udpPort: onlooker.about.udp ?? 0,
        path: join(root, 'stream'),
        datagram_path: join(root, 'datagram'),
        abstract: name,
        datagram_abstract: `${name}-datagram`,
      },
      shared: { name: randomUUID(), key: randomBytes(4).readUInt32BE() >>> 2, queue: randomUUID() },
      ask: (request) => onlooker.ask(request),
      freePort: 20_000 + (randomBytes(2).readUInt16BE() % 10_000),
    };
  };

  /** The victim of the attacks before, unless one of them has left its traces. */
  async function soundVictim() {
    if (victim && stateOfProcess(victim.process.pid) !== firstState) {
      await victim.process.close();
      victim = undefined;
    }
    if (victim) return victim;
    const secret = randomSecret();
    victim = { process: await startHostProcess('victim.py', secret), secret };
    firstState = stateOfProcess(victim.process.pid);
    return victim;
  }
}

function randomSecret(): string {
  return randomUUID().replaceAll('-', '');
}

function makeFolders(root: string, secret: string) {
  const folder = mkdtempSync(join(root, 'stage-'));
  const [here, secretFolder, victimFolder] = ['here', 'secret', 'victim'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [here, secretFolder, victimFolder, join(victimFolder, 'empty')]) mkdirSync(path);
  const [secretFile, victimFile] = [join(secretFolder, 'secret.txt'), join(victimFolder, 'victim.txt')];
  writeFileSync(secretFile, secret);
  writeFileSync(victimFile, 'unharmed');
  chmodSync(victimFile, 0o600);
  return { here, secretFile, secretFolder, victimFolder, victimFile };
}

/** What others can change about a process, as the kernel tells it. */
export function stateOfProcess(pid: number): string {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [state, , group, session] = fields.split(' ');
    const nice = fields.split(' ')[16];
    const policy = fields.split(' ')[38];
    const status = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^(SigPnd|ShdPnd|Cpus_allowed|TracerPid):.*/gm);
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
    const oomScore = readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8');
    const isDead = state === 'Z' || state === 'X';
    return JSON.stringify({ isDead, group, session, nice, policy, status, limits, oomScore });
  } catch {
    return 'gone';
  }
}

/** What stands in the memory of a process of ours. */
export function memoryOf(pid: number, address: number, length: number): string {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    const found = Buffer.alloc(length);
    readSync(memory, found, 0, length, address);
    return found.toString();
  } finally {
    closeSync(memory);
  }
}

/** Connects as soon as someone listens on the port; says what was heard there, or nothing when the signal came first. */
export async function connectWhenSomeoneListens(port: number, signal: AbortSignal): Promise<string> {
  while (!signal.aborted) {
    const heard = await connectOnce(port);
    if (heard !== undefined) return heard;
  }
  return '';
}

function connectOnce(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let heard = '';
    const connection = createConnection({ port, host: '127.0.0.1' });
    connection.on('data', (chunk) => {
      heard += chunk.toString();
    });
    connection.on('close', () => resolve(heard === '' ? undefined : heard));
    connection.on('error', () => setTimeout(() => resolve(undefined), 5));
  });
}
