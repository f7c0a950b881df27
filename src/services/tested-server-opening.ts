import type { GuardAhead } from '../client/command/guard-ahead.js';
import { startCommand } from '../client/command/started.js';
import type { ServedProcess, ServedTarget } from '../client/session/served.js';
import type { SessionOptions } from '../client/session/session.js';
import type { ServerTarget } from '../client/target.js';
import type { Log } from '../log.js';
import type { OpenOptions, TestedServer } from '../testedserver.js';
import { freePort } from './free-port.js';
import type { FoundTarget } from './tested-server-target.js';

export interface OpeningParts extends Pick<SessionOptions, 'identity' | 'protocol' | 'client' | 'startTimeoutMs'> {
  readonly found: FoundTarget;
  /** The same with a port that is free, where the suite asks for one. */
  readonly findWith: (port: number) => Promise<FoundTarget>;
  /** Whether its address has that port, so that each process can have an address of its own. */
  readonly hasOwnPort: boolean;
  /** Whether an address that refuses connections is tried again. */
  readonly isPatient: boolean;
  readonly python?: string;
  readonly ahead?: GuardAhead;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly redact: (text: string) => string;
}

export interface Opening {
  open(options?: OpenOptions): Promise<TestedServer>;
  /** For whoever speaks with the server in a way of its own: it is up until the work is done. */
  withTarget<T>(work: (target: ServerTarget) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Opened {
  readonly server: TestedServer;
  readonly target: ServerTarget;
}

interface Listening {
  readonly target: ServedTarget['address'];
  take(): Promise<ServedProcess>;
}

const usualStartTimeoutMs = 30_000;

/** Starts a server, or connects to it. Where two processes could not listen at one address, all sessions share one. */
export function createOpening(parts: OpeningParts): Opening {
  const { found, python, ahead, redact, log, startTimeoutMs = usualStartTimeoutMs } = parts;
  let shared: Promise<Listening | undefined> | undefined;
  return {
    open: async (options) => (await openOne(options)).server,
    async withTarget(work, signal) {
      if (!found.starts) return work(found.target);
      const { server, target } = await openOne({ signal });
      try {
        return await work(target);
      } finally {
        await server.close();
      }
    },
  };

  async function openOne({ signal, client = parts.client }: OpenOptions = {}): Promise<Opened> {
    // Before what speaks with it is loaded, which takes a while.
    const started = found.target.kind === 'command' ? startCommand(found.target, { python, ahead }) : undefined;
    const [{ openSession }, { withoutSecrets }] = await Promise.all([
      import('../client/session/session.js'),
      import('../client/servers/secrets.js'),
    ]);
    const listening = found.starts && (await whereItListens());
    const served = await listening?.take();
    const { identity, protocol } = parts;
    const target = listening?.target ?? found.target;
    const options: SessionOptions = {
      log: withoutSecrets(log, { text: redact }),
      identity,
      python,
      started,
      served,
      startTimeoutMs,
      protocol,
      client,
      signal,
      redact,
      ...(await loginsFor(found, parts.environment, log)),
    };
    return { target, server: await openWhenReachable(() => openSession(target, options), target, { signal, served }) };
  }

  async function openWhenReachable(
    open: () => Promise<TestedServer>,
    target: ServerTarget,
    { signal, served }: Pick<SessionOptions, 'signal' | 'served'>,
  ): Promise<TestedServer> {
    if (target.kind === 'command' || !(served || parts.isPatient)) return open();
    const { whenReachable } = await import('../client/session/waiting.js');
    const waiting = { url: target.url, timeoutMs: startTimeoutMs, signal, life: served?.life };
    try {
      return await whenReachable(open, waiting);
    } catch (error) {
      await served?.letGo();
      throw error;
    }
  }

  function whereItListens(): Promise<Listening | undefined> {
    if (parts.hasOwnPort) return listen(false);
    shared ??= listen(true);
    return shared;
  }

  async function listen(isShared: boolean): Promise<Listening | undefined> {
    const [{ createServedCommand }, { withoutSecrets }] = await Promise.all([
      import('../client/session/served.js'),
      import('../client/servers/secrets.js'),
    ]);
    const { starts: command, target: address } = await parts.findWith(await freePort());
    if (!command || address.kind !== 'url') return undefined;
    const hidden = withoutSecrets(log, { text: redact });
    const options = { python, ahead, redact, isShared, log: hidden };
    return { target: address, ...createServedCommand({ command, address }, options) };
  }
}

async function loginsFor(
  { target, name }: FoundTarget,
  environment: NodeJS.ProcessEnv,
  log: Log,
): Promise<Pick<SessionOptions, 'logins' | 'serverName'>> {
  if (target.kind === 'command') return {};
  const { createLogins } = await import('../client/oauth/logins.js');
  return { logins: createLogins({ environment, note: (line) => log.warn(line) }), serverName: name };
}
