import { type Limits, limitNames, lowerLimits, parseSettings, type Settings, type SettingsInput } from '../config.js';
import { CallerError, HostError } from '../errors.js';
import { createLog, type Log } from '../log.js';
import { hasHash } from '../manifest/cache.js';
import { createQueue, type Hold, type QueueTurn } from '../queue/queue.js';
import type { AdmissionTurn, Pass } from './admission.js';
import { type CallPlan, runOnWorker } from './call.js';
import { tellEvent } from './events.js';
import { engineClosed } from './failure.js';
import type { Renewal } from './generation.js';
import { checkedSettings, checkOptions } from './options.js';
import { createPools, type Home, type Pools } from './pools.js';
import { checkedPath, folderOf, functionRequest, type Request, scriptRequest } from './requests.js';
import { type Profile, profileOf } from './sandbox.js';
import { createSessions, type HeldWorker } from './sessions.js';
import type { Engine, RunOptions, RunResult } from './work.js';

/** What only the other files of this folder use beside the public interface. */
export interface InnerEngine extends Engine {
  execute(request: Request, script: string | undefined, options?: RunOptions): Promise<RunResult>;
  readonly settings: Settings;
  readonly log: Log;
  readonly pools: Pools;
}

type Plan = Omit<CallPlan, 'keep' | 'python'> & { readonly home: Home; readonly mayRenew: Renewal };

/** Nothing where the script has to be imported first. */
type Attempt = (hold: Hold, pass?: Pass) => Promise<RunResult | undefined>;

const probeRequest: Request = { kind: 'compile', source: 'pass', filename: '<probe>' };
/** Nobody waits for ever, whatever becomes of the processes that a call waits for. */
const maxAttempts = 10;

export interface EngineParts {
  /** Where the engine writes its log; stderr unless said. */
  readonly log?: Log;
}

export function createEngine(input: SettingsInput = {}, parts?: EngineParts): Engine {
  return createInnerEngine(input, parts);
}

export function createInnerEngine(input: SettingsInput = {}, parts: EngineParts = {}): InnerEngine {
  const settings = checkedSettings(parseSettings(input));
  const globalLimits = limitsOf(settings);
  const { log = createLog({ level: settings.logLevel, secrets: settings.secrets, file: settings.logFile }) } = parts;
  const profile = profileOf(settings);
  const pools = createPools(settings, globalLimits, log);
  const sessions = createSessions(settings);
  const queue = createQueue(settings);
  const closed = new AbortController();
  let closing: Promise<void> | undefined;

  const engine: InnerEngine = {
    settings,
    limits: globalLimits,
    log,
    pools,
    async call(work, options) {
      const request = functionRequest(work);
      return execute(request, work.prewarm === false ? undefined : request.script, options);
    },
    async run(work, options) {
      return execute(scriptRequest(work), undefined, options);
    },
    execute,
    async warm(script, options = {}) {
      checkOptions(options);
      const path = script === undefined ? undefined : checkedPath(script);
      const { content, python, tenant, group } = options;
      const mayRenew = renewal(path, content);
      const home = { script: path, python, tenant, group, profile: tightened(profile, options.profile) };
      await pools.use(home, ({ pool }) => pool.warm(mayRenew));
    },
    async probe(script, options) {
      const path = script === undefined ? undefined : checkedPath(script);
      await execute(probeRequest, path, { ...options, isolation: 'call' });
    },
    endSession: (session) => sessions.end(session),
    recycle: (whose) => pools.recycle(whose),
    async end(whose) {
      const keys = pools.keysOf(whose);
      await Promise.all([sessions.endWith((key) => keys.has(key)), pools.end(keys)]);
    },
    status: (whose) => ({
      running: queue.running,
      waiting: queue.waiting + pools.waiting,
      ...pools.status(whose),
    }),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
  return engine;

  function execute(request: Request, script: string | undefined, options: RunOptions = {}): Promise<RunResult> {
    checkOptions(options);
    const limits = options.limits ? lowerLimits(globalLimits, options.limits) : globalLimits;
    const isolation = isolationOf(script, options, settings.isolation);
    const home = {
      script,
      folder: folderOf(request),
      profile: tightened(profile, options.profile),
      tenant: options.tenant,
      group: options.group,
      python: options.python,
    };
    const plan: Plan = {
      home,
      mayRenew: renewal(script, options.content),
      request,
      limits,
      limitsChanged: limits !== globalLimits,
      isolation,
      askedAt: performance.now(),
      closed: closed.signal,
      signal: options.signal,
      onEvent: options.onEvent,
      onAsk: request.kind === 'script' ? options.onAsk : undefined,
    };
    const turn = {
      priority: options.priority,
      caller: options.caller,
      signal: options.signal,
      onPosition: (position: number) => tellEvent(options.onEvent, { type: 'queued', position }),
    };
    if (plan.isolation === 'call') return inTurn((hold, pass) => callOnce(plan, hold, pass), home, turn);
    const session = plan.isolation === 'session' ? options.session : undefined;
    return sessions.run({ script: pools.keyOf(home), session, signal: options.signal }, (held) =>
      inTurn((_hold, pass) => callKept(plan, held, pass), home, { ...turn, ended: held.ended }),
    );
  }

  /** A call that finds its script not imported gives its place among those that run back, and waits for that beside the queue. */
  async function inTurn(attempt: Attempt, home: Home, turn: QueueTurn & AdmissionTurn): Promise<RunResult> {
    let pass: Pass | undefined;
    for (let left = maxAttempts; left > 0; left--) {
      const result = await queue.run((hold) => attempt(hold, pass), turn).finally(() => pass?.end());
      if (result) return result;
      pass = await pools.admit(home, turn);
    }
    pass?.end();
    throw new HostError(
      'SPAWN_FAILED',
      `The script was imported ${maxAttempts} times, and no process could be had of it`,
    );
  }

  function callOnce({ home, mayRenew, ...plan }: Plan, hold: Hold, pass?: Pass): ReturnType<Attempt> {
    return pools.useMade(home, async ({ pool, interpreter }) => {
      const taken = await pool.take({ signal: plan.signal, mayRenew, pass });
      if (!taken) return undefined;
      hold(taken.worker.gone);
      return runOnWorker(taken, { ...plan, keep: false, python: interpreter.version });
    });
  }

  function callKept({ home, mayRenew, ...plan }: Plan, held: HeldWorker, pass?: Pass): ReturnType<Attempt> {
    return pools.useMade(home, async ({ pool, interpreter }) => {
      const taken = await held.worker(() => pool.take({ signal: plan.signal, mayRenew, pass }));
      if (!taken) return undefined;
      return runOnWorker(taken, { ...plan, closed: held.ended, keep: true, python: interpreter.version });
    });
  }

  async function closeAll(): Promise<void> {
    closed.abort(new HostError('CLOSED', 'The engine was closed during the call'));
    queue.close(engineClosed);
    await Promise.all([sessions.close(), pools.close()]);
  }
}

/** Only the content that is meant takes the place of what was imported before. */
function renewal(script: string | undefined, content: string | undefined): Renewal {
  return script === undefined || content === undefined ? () => true : () => hasHash(script, content);
}

function limitsOf(settings: Settings): Limits {
  return Object.fromEntries(limitNames.map((name) => [name, settings[name]])) as unknown as Limits;
}

/** A call may ask for a tighter sandbox than the engine has, never for less. */
function tightened(own: Profile, asked: Profile = own): Profile {
  if (own === 'trusted' || asked === 'strict') return asked;
  const message = 'Profile trusted cannot be asked for here: the engine runs scripts under profile strict';
  throw new CallerError('INVALID_SETTING', message, { setting: 'profile' });
}

/** A process that imports nothing ahead is used up by its call. */
function isolationOf(
  script: string | undefined,
  options: RunOptions,
  general: Settings['isolation'],
): Settings['isolation'] {
  const { isolation = general, session } = options;
  if (script === undefined) {
    if (options.isolation === undefined || options.isolation === 'call') return 'call';
    const message = `Isolation ${isolation} is for functions of a script that is imported ahead of its calls`;
    throw new CallerError('INVALID_SETTING', message, { setting: 'isolation' });
  }
  if (isolation === 'session' && session === undefined) {
    throw new CallerError('INVALID_SETTING', 'Isolation session needs a session to be named', { setting: 'session' });
  }
  return isolation;
}
