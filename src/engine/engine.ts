import { type Limits, limitNames, lowerLimits, parseSettings, type Settings, type SettingsInput } from '../config.js';
import { CallerError, HostError } from '../errors.js';
import { createLog, type Log } from '../log.js';
import { hasHash } from '../manifest/cache.js';
import { type CallPlan, runOnWorker } from './call.js';
import { tellEvent } from './events.js';
import { checkOptions } from './options.js';
import type { Renewal } from './pool.js';
import { createPools, type Home, type Pools } from './pools.js';
import { createQueue, type Hold } from './queue.js';
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

export interface EngineParts {
  /** Where the engine writes its log; stderr unless said. */
  readonly log?: Log;
}

export function createEngine(input: SettingsInput = {}, parts?: EngineParts): Engine {
  return createInnerEngine(input, parts);
}

export function createInnerEngine(input: SettingsInput = {}, parts: EngineParts = {}): InnerEngine {
  const settings = parseSettings(input);
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
      const mayRenew = renewal(path, options.content);
      await pools.use({ script: path, python: options.python }, ({ pool }) => pool.warm(mayRenew));
    },
    endSession: (session) => sessions.end(session),
    status: () => ({ running: queue.running, waiting: queue.waiting, scripts: pools.status() }),
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
    };
    const turn = {
      priority: options.priority,
      caller: options.caller,
      signal: options.signal,
      onPosition: (position: number) => tellEvent(options.onEvent, { type: 'queued', position }),
    };
    if (plan.isolation === 'call') return queue.run((hold) => callOnce(plan, hold), turn);
    const session = plan.isolation === 'session' ? options.session : undefined;
    return sessions.run({ script: pools.keyOf(home), session, signal: options.signal }, (held) =>
      queue.run(() => callKept(plan, held), turn),
    );
  }

  function callOnce({ home, mayRenew, ...plan }: Plan, hold: Hold): Promise<RunResult> {
    return pools.use(home, async ({ pool, interpreter }) => {
      const taken = await pool.take(plan.signal, mayRenew);
      hold(taken.worker.gone);
      return runOnWorker(taken, { ...plan, keep: false, python: interpreter.version });
    });
  }

  function callKept({ home, mayRenew, ...plan }: Plan, held: HeldWorker): Promise<RunResult> {
    return pools.use(home, async ({ pool, interpreter }) => {
      const taken = await held.worker(() => pool.take(plan.signal, mayRenew));
      return runOnWorker(taken, { ...plan, closed: held.ended, keep: true, python: interpreter.version });
    });
  }

  async function closeAll(): Promise<void> {
    closed.abort(new HostError('CLOSED', 'The engine was closed during the call'));
    queue.close();
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
