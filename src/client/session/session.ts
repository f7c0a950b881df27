import type { ClientSide, Introduction, ServerEnd, TestedServer, TreeUsage } from '../../testedserver.js';
import { openCommand } from '../command/link.js';
import type { StartedCommand } from '../command/started.js';
import { longestTimerMs } from '../deadline.js';
import { closedReason } from '../failures.js';
import type { Link } from '../link.js';
import { createRemote } from '../remote/link.js';
import { fillOptions, type ServerTarget, type ServerToolboxOptions } from '../target.js';
import { type Answering, createAnswering } from './asked.js';
import { createHeard, type Heard } from './heard.js';
import { meet, type ProtocolChoice } from './meeting.js';
import { type Redact, redacted } from './redacted.js';
import type { ServedProcess } from './served.js';
import { readUsage } from './usage.js';
import { createWire, type Wire } from './wire.js';

type PassedOn =
  | 'log'
  | 'identity'
  | 'startTimeoutMs'
  | 'maxMessageBytes'
  | 'memoryBytes'
  | 'maxProcessesInTree'
  | 'python'
  | 'graceMs'
  | 'logins'
  | 'serverName';

export interface SessionOptions extends Pick<ServerToolboxOptions, PassedOn> {
  /** Gives the opening up. */
  readonly signal?: AbortSignal;
  /** What this side declares that it can do, and answers; nothing unless said. */
  readonly client?: ClientSide;
  /** The era of the protocol. Not given: the older one with a process; what it speaks with an address. */
  readonly protocol?: ProtocolChoice;
  /** The process of a command, where it was started already. */
  readonly started?: StartedCommand;
  /** The process that listens at the address, where it was started from here. */
  readonly served?: ServedProcess;
  /** Takes secrets out of what the server writes beside its answers, and out of messages about it. */
  readonly redact?: Redact;
}

/** How long a server at an address may take to be told which log messages are wanted, before the first request. */
const settingLevelMs = 1000;

/** Starts the server, or connects to it, and lets it introduce itself. Rejects with an ExecutionError that has its last words. */
export async function openSession(target: ServerTarget, options: SessionOptions = {}): Promise<TestedServer> {
  const { redact = (text: string) => text, served } = options;
  const filled = fillOptions({ ...pickPassedOn(options), tellsLastWords: true });
  const startedAt = (options.started ?? served)?.at ?? performance.now();
  const heard = served?.life.heard ?? createHeard(redact);
  try {
    const session =
      target.kind === 'command'
        ? await open(openCommand(target, filled, heard.hearing, options.started))
        : await createRemote(target, filled)((link) => open(served?.on(link) ?? link));
    return session.server;
  } catch (error) {
    throw redacted(error, redact);
  }

  async function open(link: Link): Promise<{ readonly era: 'legacy' | 'modern'; readonly server: TestedServer }> {
    const { client, signal, protocol } = options;
    const capabilities = client?.capabilities;
    const answering = createAnswering(client);
    const met = await meet(link, filled, { signal, protocol, capabilities, ...(client && { answering }) });
    await link.process?.known?.catch(() => {});
    const wire = createWire(link, { ...met, identity: filled.identity, capabilities, answering, redact });
    const logging = met.introduced.capabilities.logging !== undefined && met.era === 'legacy';
    if (logging) await askForLogs(wire, target);
    const introduction = { ...met.introduced, ms: performance.now() - startedAt };
    return { era: met.era, server: serverOn(link, wire, introduction, { heard, answering, redact, served }) };
  }
}

interface Beside {
  readonly heard: Heard;
  readonly answering: Answering;
  readonly redact: Redact;
  readonly served: ServedProcess | undefined;
}

function serverOn(
  link: Link,
  wire: Wire,
  introduction: Introduction,
  { heard, answering, redact, served }: Beside,
): TestedServer {
  let last: TreeUsage | undefined;
  return {
    introduction,
    request: wire.request,
    listen: wire.listen,
    get isOver() {
      return link.isOver;
    },
    ended: link.ended.then(({ wasAsked }) => endOf(link, wasAsked && !wire.isLost, redact)),
    noise: heard.noise,
    strayAnswers: heard.strayAnswers,
    get lateAnswers() {
      return wire.lateAnswers + heard.lateAnswers;
    },
    asked: answering.asked,
    lastWords: heard.lastWords,
    get wordCount() {
      return heard.wordCount;
    },
    usage: async () => (link.isOver ? last : await usageOf(link)),
    get pid() {
      return link.process?.pid;
    },
    ...(served && { served: { process: served.life, isShared: served.isShared } }),
    async close() {
      last ??= await usageOf(link);
      await link.end(closedReason);
    },
  };
}

async function usageOf({ isOver, process }: Link): Promise<TreeUsage | undefined> {
  return isOver || !process ? undefined : await readUsage(process).catch(() => undefined);
}

function endOf(link: Link, wasAsked: boolean, redact: Redact): ServerEnd {
  const why = wasAsked ? undefined : link.failure?.().message;
  return { wasAsked, message: why === undefined ? 'The MCP server was ended' : redact(why) };
}

/** Some servers never answer this, and a process takes requests in their order anyway. */
async function askForLogs(wire: Wire, { kind }: ServerTarget): Promise<void> {
  const asked = wire.request('logging/setLevel', { level: 'debug' }, { timeoutMs: longestTimerMs });
  if (kind === 'command') return;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, settingLevelMs);
  });
  await Promise.race([asked, enough]);
  clearTimeout(timer);
}

function pickPassedOn({
  signal,
  client,
  protocol,
  redact,
  started,
  served,
  ...passedOn
}: SessionOptions): ServerToolboxOptions {
  return passedOn;
}
