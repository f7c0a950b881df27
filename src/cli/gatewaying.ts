import { CallerError } from '../errors.js';
import { watchContents } from '../gateway/config/watch.js';
import { createGateway, type Gateway } from '../gateway/gateway.js';
import { packageVersion } from '../python/package.js';
import { createOpener } from '../services/open.js';
import { createUploadWork } from '../services/upload-work.js';
import { createTracing } from '../tracing/tracing.js';
import { reportFailure } from './failure.js';
import { announce } from './gateway-announcement.js';
import { listenForEnd } from './gateway-end.js';
import { asOptions, filesOf, type GatewayRun, hasAuth, makePlan } from './gateway-plan.js';
import { createReload } from './gateway-reload.js';
import { servicesOf } from './gateway-services.js';
import { createLogFor } from './log-file.js';
import type { Terminal } from './terminal.js';

/** What the gateway is made of, as far as tests put something else in its place. */
export interface Makers {
  readonly createGateway: typeof createGateway;
  readonly createOpener: typeof createOpener;
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

type End = ReturnType<typeof listenForEnd>;

async function serve(run: GatewayRun, terminal: Terminal, makers: Makers, end: End): Promise<void> {
  refuseNothing(run);
  const { environment } = terminal;
  const plan = await makePlan(run, environment);
  const { engine } = plan;
  const log = createLogFor(engine);
  const given = await findServices(run);
  const identity = { name: 'mcp-execution', version: packageVersion() };
  const tracing = await createTracing({ environment, identity, log });
  const opener = makers.createOpener({ settings: engine, log, environment, watches: run.flags.watch });
  const changes = await watchChanges();
  let gateway: Gateway | undefined;
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
    const reload = createReload({ plan, given, gateway, makePlan: () => makePlan(run, environment), log });
    await changes.follow(reload);
    end.onHangUp(async () => {
      log.reopen();
      await reload();
    });
    const told = { hasAuth: hasAuth(plan), canUpload: plan.settings.data !== undefined };
    const stopTelling = announce(gateway, told, terminal);
    await end.reached;
    stopTelling();
    changes.close();
    await gateway.drain();
  } finally {
    changes.close();
    await gateway?.close();
    await opener.close();
    await tracing?.close();
  }

  function findServices({ targets, flags }: GatewayRun) {
    const { python, cacheDir } = engine;
    return servicesOf(
      { targets, commands: flags.command ?? [], urls: flags.url ?? [] },
      { python, cacheDir, environment, signal: end.signal, log },
    );
  }

  /** From before the services are opened, which takes its time: what changes meanwhile is not missed. */
  async function watchChanges() {
    let reload: (() => Promise<void>) | undefined;
    let isStale = false;
    const watch = await watchContents(filesOf(run, plan), () => {
      isStale = true;
      return reload?.();
    });
    return {
      async follow(reloading: () => Promise<void>) {
        reload = reloading;
        if (isStale) await reloading();
      },
      close: () => watch.close(),
    };
  }
}

function refuseNothing({ targets, flags, gateway }: GatewayRun): void {
  const isGiven = targets.length + (flags.command?.length ?? 0) + (flags.url?.length ?? 0) > 0;
  if (isGiven || flags.config !== undefined || gateway.data !== undefined) return;
  const message =
    'There is nothing to serve: name scripts, --command or --url, a --config file, or a folder for uploads with --data';
  throw new CallerError('INVALID_ARGUMENTS', message);
}
