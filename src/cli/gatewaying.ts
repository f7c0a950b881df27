import { resolve } from 'node:path';
import { parseSettings, type Settings, type UncheckedSettings } from '../config.js';
import { CallerError } from '../errors.js';
import type { KeyEntry } from '../gateway/access/keys.js';
import { waitForStart } from '../gateway/config/changes.js';
import { gatewayPaths, withWholePaths } from '../gateway/config/definitions.js';
import { gatewaySettingFamily } from '../gateway/config/family.js';
import { keysFileOf, readKeysFile } from '../gateway/config/keys-file.js';
import { type GatewayConfig, readGatewayConfig } from '../gateway/config/read.js';
import { watchContents } from '../gateway/config/watch.js';
import { createGateway, type Gateway } from '../gateway/gateway.js';
import { createTracing } from '../gateway/observe/tracing.js';
import type { ServiceDefinition } from '../gateway/service.js';
import type { GatewaySettings, gatewaySettingsSchema } from '../gateway/settings.js';
import type { AdjustableLog } from '../log.js';
import { createOpener } from '../services/open.js';
import { createUploadWork } from '../services/upload-work.js';
import type { Unchecked } from '../settings.js';
import { reportFailure } from './failure.js';
import { announce } from './gateway-announcement.js';
import { listenForEnd } from './gateway-end.js';
import { refuseClashes, servicesOf } from './gateway-services.js';
import { createLogFor } from './log-file.js';
import type { Terminal } from './terminal.js';
import { packageVersion } from './version.js';

export interface GatewayFlags {
  readonly config?: string;
  readonly command?: readonly string[];
  readonly url?: readonly string[];
  readonly watch?: boolean;
}

export interface GatewayRun {
  readonly targets: readonly string[];
  readonly flags: GatewayFlags;
  /** What flags and variables say; a config file may say the rest. */
  readonly engine: UncheckedSettings;
  readonly gateway: Unchecked<typeof gatewaySettingsSchema>;
}

/** What the gateway is made of, as far as tests put something else in its place. */
export interface Makers {
  readonly createGateway: typeof createGateway;
  readonly createOpener: typeof createOpener;
}

/** Everything that is decided by flags, variables and files together. */
interface Plan {
  readonly settings: GatewaySettings;
  readonly engine: Settings;
  readonly keys: readonly KeyEntry[];
  readonly config: GatewayConfig;
}

/** Serves until it is ended. Whatever goes wrong is told of here: this is a file of its own in the package. */
export async function runGateway(
  run: GatewayRun,
  terminal: Terminal,
  makers: Makers = { createGateway, createOpener },
): Promise<number> {
  const end = listenForEnd(terminal);
  try {
    await serve(run, terminal, makers, end);
    return end.exitCode();
  } catch (error) {
    return end.signal.aborted ? end.exitCode() : reportFailure(error, terminal);
  } finally {
    end.close();
  }
}

async function serve(run: GatewayRun, terminal: Terminal, makers: Makers, end: ReturnType<typeof listenForEnd>) {
  refuseNothing(run);
  const { environment } = terminal;
  let plan = await makePlan(run, environment);
  const { engine } = plan;
  const log = createLogFor(engine);
  const { python, cacheDir } = engine;
  const { targets, flags } = run;
  const given = await servicesOf(
    { targets, commands: flags.command ?? [], urls: flags.url ?? [] },
    { python, cacheDir, environment, signal: end.signal, log },
  );
  const identity = { name: 'mcp-execution', version: packageVersion() };
  const tracing = await createTracing({ environment, identity, log });
  const opener = makers.createOpener({ settings: engine, log, environment, watches: flags.watch });
  let gateway: Gateway | undefined;
  let reload: (() => Promise<void>) | undefined;
  let isStale = false;
  // Before the services are opened, which takes its time: what changes meanwhile is not missed.
  const watch = await watchContents(filesOf(run, plan), () => {
    isStale = true;
    return reload?.();
  });
  try {
    gateway = await makers.createGateway({
      ...asOptions(plan, given),
      open: opener.open,
      uploads: createUploadWork({ settings: engine, log, environment }),
      limits: engine,
      log,
      identity,
      tracing,
    });
    const readAgain = createReload(gateway, given, log);
    reload = readAgain;
    if (isStale) await readAgain();
    end.onHangUp(async () => {
      log.reopen();
      await readAgain();
    });
    const stopTelling = announce(
      gateway,
      { hasAuth: hasAuth(plan), canUpload: plan.settings.data !== undefined },
      terminal,
    );
    await end.reached;
    stopTelling();
    watch.close();
    await gateway.drain();
  } finally {
    watch.close();
    await gateway?.close();
    await opener.close();
    await tracing?.close();
  }

  /** A change that cannot be served is logged, and everything stays as it was. */
  function createReload(served: Gateway, fixed: readonly ServiceDefinition[], into: AdjustableLog) {
    return async () => {
      try {
        const next = await makePlan(run, environment);
        await served.apply(asOptions(next, fixed));
        tellWhatWaits(plan, next, into);
        if (next.engine.logLevel !== plan.engine.logLevel) into.setLevel(next.engine.logLevel);
        plan = next;
        into.info('the configuration was read again', { services: next.config.services.length + fixed.length });
      } catch (error) {
        into.error('the configuration cannot be used: everything stays as it was', { error });
      }
    };
  }
}

async function makePlan(run: GatewayRun, environment: NodeJS.ProcessEnv): Promise<Plan> {
  const { flags } = run;
  const config = flags.config === undefined ? emptyConfig : await readGatewayConfig(resolve(flags.config), environment);
  const given = withWholePaths(run.gateway, process.cwd(), gatewayPaths);
  const settings = gatewaySettingFamily.parse({ ...config.settings, ...given });
  const engine = parseSettings({ ...config.engine, ...run.engine });
  const kept = settings.data === undefined ? [] : await readKeysFile(keysFileOf(settings.data));
  return { settings, engine, keys: withoutRepeats([...config.keys, ...kept]), config };
}

const emptyConfig: GatewayConfig = { settings: {}, engine: {}, services: [], keys: [] };

function asOptions({ settings, keys, config }: Plan, given: readonly ServiceDefinition[]) {
  const services = refuseClashes([...given, ...config.services]);
  return { settings, services, keys, oauth: config.oauth };
}

function withoutRepeats(keys: readonly KeyEntry[]): readonly KeyEntry[] {
  return [...new Map(keys.map((entry) => [entry.id, entry])).values()];
}

function hasAuth({ keys, config }: Plan): boolean {
  return keys.length > 0 || config.oauth !== undefined;
}

function filesOf({ flags }: GatewayRun, { settings }: Plan): readonly string[] {
  const config = flags.config === undefined ? [] : [resolve(flags.config)];
  return settings.data === undefined ? config : [...config, keysFileOf(settings.data)];
}

function tellWhatWaits(before: Plan, after: Plan, log: AdjustableLog): void {
  const waiting = [
    ...waitForStart(before.settings, after.settings),
    ...waitingOfEngine(before.engine, after.engine).map((name) => `settings.${name}`),
  ];
  if (waiting.length > 0) log.warn('some changes wait until the gateway is started again', { settings: waiting });
}

function waitingOfEngine(before: Settings, after: Settings): readonly string[] {
  const fields = Object.entries({ ...before, logLevel: undefined });
  const next: Readonly<Record<string, unknown>> = { ...after, logLevel: undefined };
  return fields.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(next[name])).map(([name]) => name);
}

function refuseNothing({ targets, flags, gateway }: GatewayRun): void {
  const isGiven = targets.length + (flags.command?.length ?? 0) + (flags.url?.length ?? 0) > 0;
  if (isGiven || flags.config !== undefined || gateway.data !== undefined) return;
  const message =
    'There is nothing to serve: name scripts, --command or --url, a --config file, or a folder for uploads with --data';
  throw new CallerError('INVALID_ARGUMENTS', message);
}
